/** JSON Schema of the tools' structured answers. */

/** An object that has all of these properties. */
export const objectOf = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };
export const WHOLE = { type: 'integer' };
export const described = (about: string, schema: object = TEXT) => ({ ...schema, description: about });
export const listOf = (items: object) => ({ type: 'array', items });

/** In each tool's answer. */
export const NEXT = described(
  'The value of `from` that returns the rest; null if nothing was left out.',
  TEXT_OR_NULL,
);
