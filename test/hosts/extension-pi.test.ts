import { openExtendedPi } from "./clients/extended-pi.ts";
import { piModels } from "./clients/pi.ts";
import { describeCommand } from "./stage/command-suite.ts";
import { describeExtension, type ExtendedHost } from "./stage/extension-suite.ts";

const host: ExtendedHost = { host: "Pi", models: piModels, open: openExtendedPi };

describeExtension(host);
describeCommand(host, piModels["anthropic-messages"]);
