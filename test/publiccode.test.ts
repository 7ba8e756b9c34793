/** publiccode.yml, held against the standard for catalogues of public software, and against what else says the version. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { packagePath } from '../src/package.ts';

const text = { type: 'string', minLength: 1 } as const;
const url = { type: 'string', pattern: '^https://\\S+$' } as const;
const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } as const;
const language = '^[a-z]{2,3}(-[A-Za-z0-9]+)*$';
const oneOf = (...words: readonly string[]) => ({ type: 'string', enum: words }) as const;
const listOf = (items: object, more: object = {}) =>
  ({ type: 'array', items, minItems: 1, ...more }) as const;
const objectOf = (required: object, optional: object = {}) =>
  ({
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }) as const;

/**
 * Version 0.5 of https://yml.publiccode.tools, as far as this file uses it: every mandatory key, the values of its closed lists, the
 * lengths of its texts. The standard is prose; it has no JSON Schema of its own.
 */
const SCHEMA = objectOf(
  {
    publiccodeYmlVersion: { type: 'string', pattern: '^0\\.5(\\.\\d+)?$' },
    name: text,
    url,
    platforms: listOf(oneOf('web', 'windows', 'mac', 'linux', 'ios', 'android')),
    categories: listOf({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' }),
    developmentStatus: oneOf('concept', 'development', 'beta', 'stable', 'obsolete'),
    softwareType: oneOf(
      ...['mobile', 'iot', 'desktop', 'web', 'backend', 'other'].map((kind) => `standalone/${kind}`),
      ...['addon', 'library', 'configurationFiles'],
    ),
    description: {
      type: 'object',
      propertyNames: { pattern: language },
      minProperties: 1,
      additionalProperties: objectOf({
        shortDescription: { ...text, maxLength: 150 },
        longDescription: { type: 'string', minLength: 150, maxLength: 10_000 },
        features: listOf({ ...text, maxLength: 100 }),
      }),
    },
    legal: objectOf({ license: text }, { mainCopyrightOwner: text, repoOwner: text }),
    // A type of maintenance without contacts names contractors, or is "none".
    maintenance: objectOf({
      type: oneOf('internal', 'community'),
      contacts: listOf(objectOf({ name: text }, { email: text, phone: text, affiliation: text })),
    }),
    localisation: objectOf({
      localisationReady: { type: 'boolean' },
      availableLanguages: listOf({ type: 'string', pattern: language }),
    }),
  },
  {
    softwareVersion: text,
    releaseDate: date,
    landingURL: url,
    logo: text,
    roadmap: url,
    intendedAudience: objectOf({}, { scope: listOf(text), countries: listOf(text) }),
    dependsOn: objectOf(
      {},
      { open: listOf(objectOf({ name: text }, { versionMin: text, optional: { type: 'boolean' } })) },
    ),
  },
);

const readText = (file: string) => readFileSync(packagePath(file), 'utf8');
const catalogue = parse(readText('publiccode.yml'));
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const validate = ajv.compile(SCHEMA);
const accepts = (found: unknown): boolean => validate(found);

const publiccode = suite('publiccode.yml');

publiccode('should have what the standard asks for, and nothing that it does not know', () => {
  assert.ok(accepts(catalogue), ajv.errorsText(validate.errors));
  assert.equal(
    Object.keys(catalogue.description).sort(),
    [...catalogue.localisation.availableLanguages].sort(),
  );
});

publiccode('should not be held against a schema that accepts anything', () => {
  for (const key of SCHEMA.required) {
    const { [key]: _, ...rest } = catalogue;
    assert.not(accepts(rest), `without ${key}`);
    assert.not(accepts({ ...rest, [key]: 1 }), `with ${key}: 1`);
  }
  assert.not(accepts({ ...catalogue, licence: 'MIT' }), 'with a key that there is not');
});

publiccode('should say the version, its date, the licence and the runtime as they are', () => {
  const { version, license, engines } = JSON.parse(readText('package.json'));
  const [, day] = new RegExp(`^## \\[${version}\\] - (\\S+)$`, 'm').exec(readText('CHANGELOG.md')) ?? [];
  const { softwareVersion, releaseDate, legal, dependsOn } = catalogue;
  assert.equal([softwareVersion, releaseDate, legal.license], [version, day, license]);
  assert.is(`>=${dependsOn.open[0].versionMin}`, engines.node);
});

publiccode.run();
