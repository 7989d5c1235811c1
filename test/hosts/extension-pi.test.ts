import { openExtendedPi } from "./clients/extended-pi.ts";
import { piModels } from "./clients/pi.ts";
import { describeCommand } from "./stage/command-suite.ts";
import { describeExtension } from "./stage/extension-suite.ts";

describeExtension("Pi", piModels, openExtendedPi);
describeCommand("Pi", piModels["anthropic-messages"], openExtendedPi);
