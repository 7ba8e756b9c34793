/** JSON Schema of the tools' structured answers. */
import { TEXT, TEXT_OR_NULL } from '../common/json-schema.ts';

export const described = (about: string, schema: object = TEXT) => ({ ...schema, description: about });

/** In each tool's answer. */
export const NEXT = described(
  'The value of `from` that returns the rest; null if nothing was left out.',
  TEXT_OR_NULL,
);
