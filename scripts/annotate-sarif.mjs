// Prints the results of a SARIF file as workflow commands, so that a pull request shows them at their lines without the
// permission that an upload to code scanning needs.
import { readFileSync } from "node:fs";

const [run] = JSON.parse(readFileSync(process.argv[2], "utf8")).runs;
for (const { ruleId, message, locations } of run.results) {
  const { artifactLocation, region } = locations[0].physicalLocation;
  const file = escapeProperty(decodeURIComponent(artifactLocation.uri));
  console.log(
    `::error file=${file},line=${region.startLine},title=${escapeProperty(ruleId)}::${escapeData(message.text)}`,
  );
}

function escapeData(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text) {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
