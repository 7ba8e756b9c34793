import type { ServePart } from '../../serve/annex.ts';
import { argumentNames } from './argument-names.ts';
import { faultOf } from './json-fault.ts';

export const create = (): ServePart => ({ explainJson: faultOf, argumentNames });
