/** I13: the schema's descriptions in Norwegian, which the developers' page shows. */
import { type GraphQLNamedType, getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { norwegian, schema, sdl } from '../../../src/serve/graphql/schema.ts';
import { assertAbove, assertExcludes, assertIncludes } from '../../helpers/assertions.ts';

const test = suite('schema');

/** Each input type and enum that a client can send: those of the arguments, and those of their fields. */
function sentTypes(): ReadonlySet<GraphQLNamedType> {
  const operations = Object.values(schema.getTypeMap()).filter(isObjectType);
  const found = new Set<GraphQLNamedType>();
  const add = (type: GraphQLNamedType) => {
    if (found.has(type) || type.name.startsWith('__')) return;
    if (isEnumType(type)) found.add(type);
    if (!isInputObjectType(type)) return;
    found.add(type);
    for (const field of Object.values(type.getFields())) add(getNamedType(field.type));
  };
  for (const type of operations.filter(({ name }) => !name.startsWith('__')))
    for (const { args } of Object.values(type.getFields()))
      for (const argument of args) add(getNamedType(argument.type));
  return found;
}

test('I13: should describe each value that a client can send in Norwegian, too', () => {
  const types = [...sentTypes()];
  const names = types.map(({ name }) => name);
  for (const expected of ['Filter', 'Near', 'Area', 'Period', 'Accessibility'])
    assertIncludes(names, expected);
  const members = types.flatMap((type) => {
    const own = isEnumType(type) ? type.getValues() : [];
    const fields = isInputObjectType(type) ? Object.values(type.getFields()) : own;
    assertAbove(fields.length, 0, `members of ${type.name}`);
    return fields.map(({ name }) => `${type.name}.${name}`);
  });
  assert.equal(
    members.filter((member) => !norwegian.has(member)),
    [],
  );
});

test('I13: should publish no Norwegian descriptions in the schema', () => {
  const described = [...norwegian.values()];
  assertAbove(described.length, 100, 'Norwegian descriptions');
  for (const text of described) assertExcludes(sdl.split('\n'), text);
});

test.run();
