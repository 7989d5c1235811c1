import { openExtendedOmp } from "./clients/extended-omp.ts";
import { ompModels } from "./clients/omp.ts";
import { describeExtension } from "./stage/extension-suite.ts";

describeExtension("OMP", ompModels, openExtendedOmp);
