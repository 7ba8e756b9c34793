/** Parts of JSON Schemas of responses. */

export const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };
export const WHOLE = { type: 'integer' };
export const FLAG = { type: 'boolean' };
export const OBJECT = { type: 'object' };

export const listOf = (items: object) => ({ type: 'array', items });

/** An object; unless `required` says otherwise, it has all of these properties. */
export const objectOf = <Properties extends object>(
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
) => {
  const schema = {
    type: 'object',
    properties,
  };
  return required.length === 0 ? schema : { ...schema, required };
};
