import { openExtendedOpencode } from "./clients/extended-opencode.ts";
import { opencodeModels } from "./clients/opencode.ts";
import { describeExtension } from "./stage/extension-suite.ts";

describeExtension("OpenCode", opencodeModels, openExtendedOpencode);
