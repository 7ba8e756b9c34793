import type { ServePart } from '../../serve/annex.ts';
import { faultOf } from './json-fault.ts';
import { nameRules } from './names.ts';

export const create = (): ServePart => ({ explainJson: faultOf, nameRules });
