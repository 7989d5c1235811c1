import { openExtendedOmp } from "./clients/extended-omp.ts";
import { ompModels } from "./clients/omp.ts";
import { describeCommand } from "./stage/command-suite.ts";
import { describeExtension } from "./stage/extension-suite.ts";

describeExtension("OMP", ompModels, openExtendedOmp);
describeCommand("OMP", ompModels["anthropic-messages"], openExtendedOmp);
