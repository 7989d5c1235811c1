#!/usr/bin/env bash
# The step of action.yml: replays CORPUS, writes SARIF_FILE and JUNIT_FILE, prints annotations and a summary, and ends as
# replay ended. HOLDFAST_COMMAND is the program with its first words.
set -uo pipefail

read -ra program <<<"$HOLDFAST_COMMAND"

"${program[@]}" replay "$CORPUS" --format sarif >"$SARIF_FILE"
status=$?
# 2 is a wrong folder or a broken corpus: its message stands in the log, and there are no findings to show.
if [ "$status" -gt 1 ]; then exit "$status"; fi

"${program[@]}" replay "$CORPUS" --format junit >"$JUNIT_FILE"
node "$(dirname "$0")/annotate-sarif.mjs" "$SARIF_FILE"
summary=$("${program[@]}" replay "$CORPUS" --stats)
printf '%s\n' "$summary"
printf '### Holdfast replay\n\n```text\n%s\n```\n' "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$status"
