/** Parts of JSON Schemas: of the requests and responses in `/openapi.json`, and of the tools for assistants. */

export const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };
export const WHOLE = { type: 'integer' };
export const FLAG = { type: 'boolean' };
/** With any properties. */
export const OBJECT = { type: 'object' };

export const listOf = (items: object) => ({ type: 'array', items });

/** By default an object always has all of these properties. `required`: those that it always has, if some can be absent. */
export const objectOf = <Properties extends object>(
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
) => {
  const schema = {
    type: 'object',
    properties,
  };
  // An empty list would say nothing, and older readers of JSON Schema refuse it.
  return required.length === 0 ? schema : { ...schema, required };
};

/** A schema, by default that of a text, with an explanation of the value. */
export const described = (description: string, schema: object = TEXT) => ({ ...schema, description });
