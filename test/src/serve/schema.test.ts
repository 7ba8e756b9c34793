/** The schema's descriptions in Norwegian, for the developers' page. */
import { isEnumType, isInputObjectType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { norwegian, schema, sdl } from '../../../src/serve/graphql/schema.ts';
import { assertAbove } from '../../helpers/assertions.ts';

const test = suite('schema');

for (const name of ['Filter', 'Near', 'Area', 'Period', 'Accessibility']) {
  test(`should describe all of ${name} in Norwegian, too`, () => {
    const type = schema.getType(name);
    const values = isEnumType(type) ? type.getValues() : [];
    const members = isInputObjectType(type) ? Object.values(type.getFields()) : values;
    assertAbove(members.length, 0, `members of ${name}`);
    const missing = members.filter((member) => !norwegian.has(`${name}.${member.name}`));
    assert.equal(
      missing.map((member) => member.name),
      [],
    );
  });
}

test('should publish no Norwegian descriptions in the schema', () => {
  assert.not.match(sdl, /# nb:/);
});

test.run();
