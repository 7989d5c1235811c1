/** The closed list of soft classes (`docs/spec/dispatch.md`, section 5). Adding one is a reviewed change. */
export const SOFT_CLASSES = [
  "row_moved",
  "row_extra",
  "row_missing",
  "id_renamed",
  "foreign_reply_rewritten",
  "result_synthesised",
  "pair_dropped",
  "cache_marker",
  "string_or_blocks",
  "image_trimmed",
  "bookkeeping",
  "system_placement",
  "well_formed",
  "chained_delta",
  "rows_merged",
  "whitespace",
  "tool_list",
  "result_content_changed",
  "plan_prefix",
  "unproven_rule",
  "unmodelled",
] as const;

export type SoftClass = (typeof SOFT_CLASSES)[number];
