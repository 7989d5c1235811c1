import { join } from "node:path";

/** OMP reads the same variable as Pi for its folder. */
export function homes(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  return [join(environment.PI_CODING_AGENT_DIR ?? join(home, ".omp", "agent"), "sessions")];
}
