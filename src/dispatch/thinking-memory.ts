/** Placeholder type until bound thinking lands in this folder. */
export type ThinkingMemory = never;
