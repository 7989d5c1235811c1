/** The exit codes of every command (CL-1). */
export const EXIT = { fine: 0, findings: 1, broken: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
