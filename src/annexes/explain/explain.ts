import { jsonFault } from '../../calendar/json-fault.ts';
import type { ServePart } from '../../serve/annex.ts';
import { nameRules } from './names.ts';

export const create = (): ServePart => ({ explainJson: jsonFault, nameRules });
