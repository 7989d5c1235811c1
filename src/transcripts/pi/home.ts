import { join } from "node:path";

export function homes(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  const own = environment.PI_CODING_AGENT_SESSION_DIR;
  const agentDir = environment.PI_CODING_AGENT_DIR ?? join(home, ".pi", "agent");
  return [...(own === undefined ? [] : [own]), join(agentDir, "sessions")];
}
