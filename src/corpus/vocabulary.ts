/**
 * The words that a redacted body may keep: what the protocols themselves are made of. Everything else in a body could be
 * somebody's and becomes filler. The lists are of words, not of names: `input_schema` is kept because
 * both halves are.
 */

/** Words of member names, and of the values of members that enumerate (`type`, `role`, `effort`, …). */
const PROTOCOL = words(`
  3gpp aac above accept action active adaptive add added addition additional additions after all allow allowed alpha
  always and annotation annotations anthropic any api apply approval arguments args array arrays assistant at audio auto
  automatic background base64 basic before beta betas bias binary binding block blocked blocking blocks backend bool boolean
  breakpoint budget bytes cache cached call caller callable calls cancel canceled cancelled candidate candidates
  category channel chat chatcmpl chunk citation citations class clear click code commentary compact compacted
  compaction completed completion computer config configuration constant container content contents context continue
  control controls conversation converse correlation count counts cpu create created creation ctc custom data date
  day declaration declarations default defer deferred definition definitions delta deny dependent deprecated
  description detail details developer diagnostics dimensions direct disable disabled discriminator display document
  documents domain done drop duration edit edits effort email embedding empty enable enabled encrypted encoding end
  ended entity enum environment ephemeral error errors event example examples exclude excluded exclusive exec
  executable execution expanded expired explanation extended extra failed false fetch file files filter filtered
  final finish flag flags flex float force format frequency full function functions generate generated generation
  gif google grammar grounding group guardrail hash header hd heic high history hour html http id ids image images
  immediate in include included incomplete inference inline input inputs instruction instructions int int32 int64
  integer interleaved interrupted item items jpeg jpg json jsonl keep kept key keys kind kwargs label labels large
  lark latency left length level limit list listing local logit logprobs low main mark markdown max maximum mcp
  md5 media medium message messages meta metadata method mime min minimal minimum minute mode model models modality
  modalities mp3 mp4 mpeg multi multiple name names namespace native negative new next no none not null nullable
  number object of off ok on one open operation optimized option optional options opus or order organization output
  outputs overloaded page parallel parameter parameters part partial parts pass path pattern pause paused pdf
  penalty pending performance phase plain png pointer policy position positive prediction prefix mismatch behavior
  prefill presence preserved preview previous priority prompt properties property provided provider query quality
  range read ready reason reasoning redacted ref reference references refusal region regex remaining remote removal
  removals remove replace request required requests requirement requires response responses result results
  retention retrieval retry return returned returns role root rs run safe safety sample schema schemas scheduled
  score search seconds seed selected sequence sequences server servers service session settings shape shell short
  signature size small snapshot source sources spec speech speed standard start started state static status stop
  stopped store stream strict string strings style subagent success succeeded suffix summary supported sync syntax
  system tail target task temperature text thinking thought thoughts thread threshold tier time timeout timestamp
  title to token tokens tool tools toolset toolsets top total trace transform transformations transforms trigger
  true truncation ttl turn turns type types unit unique unknown update updated upload uri url usage use used user
  uses uuid value values verbose verbosity version vertex video vnd voice wav web webp webm window with world
  write xhigh xml year zone 1h 5m 12h 24h 30m
  screenshot unevaluated contains defs comment completions openai azure codex bedrock mistral deepseek moonshot groq
  cerebras zai qwen ollama vllm llamacpp lmstudio base calling choice choices comparison diagnosis hit index interpreter
  management memory miss patch point progress template variables think
`);

/** Words of public model names; digits and words of one or two letters are kept beside them. */
const MODEL = words(`
  air amazon anthropic apac arctic base beta chat claude cloud coder codestral codex cohere command deepseek devstral
  distill exp experimental fable fast flash free fusion gemini gemma glm global google gpt grok groq haiku hf instant
  instruct kimi large latest lite llama magistral maverick max medium meta micro mini minimax ministral mistral
  mistralai mixtral moonshot moonshotai mythos nano next nova omni openai opus oss phi pixtral plus premier preview
  pro qwen qwq realtime reasoner reasoning router scout small sonnet thinking turbo ultra vertex vision voxtral zai
`);

/** Words that date libraries write: a clock in a prompt has to stay one. */
const CALENDAR = words(`
  mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday am pm utc gmt
  est edt cst cdt mst mdt pst pdt cet cest bst ist jst aest
`);

export function isProtocolWord(word: string): boolean {
  return PROTOCOL.has(word.toLowerCase());
}

export function isModelWord(word: string): boolean {
  return word.length <= 2 || MODEL.has(word.toLowerCase());
}

export function isCalendarWord(word: string): boolean {
  return CALENDAR.has(word.toLowerCase());
}

/** Members whose string value is one of a few that the protocol lists. */
export const ENUMERATING = new Set([
  "api",
  "backend",
  "type",
  "role",
  "status",
  "phase",
  "effort",
  "reasoning_effort",
  "ttl",
  "stop_reason",
  "stopReason",
  "finish_reason",
  "finishReason",
  "object",
  "media_type",
  "mime_type",
  "mimeType",
  "format",
  "detail",
  "service_tier",
  "tool_choice",
  "function_call",
  "mode",
  "verbosity",
  "truncation",
  "include",
  "modalities",
  "anthropic_version",
  "anthropic_beta",
  "betas",
  "prefix_mismatch_behavior",
  "prompt_cache_retention",
  "retention",
  "syntax",
  "display",
  "execution",
  "context",
  "speed",
  "allowed_callers",
  "thinking_level",
  "thinkingLevel",
]);

/** Prefixes by which providers know their own ids; an id has to keep the one that it has. */
export const ID_PREFIX = /^(?:fc|rs|msg|ctc)/;

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
