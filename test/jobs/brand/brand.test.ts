/** I15: `brand.json` and the logos of a source folder, and what a build says of parts that it leaves out. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBrand } from '../../../jobs/brand/brand.ts';
import { openNativeSource } from '../../../jobs/native.ts';
import { leastContrast, SCHEMES, type Scheme } from '../../../src/calendar/brand.ts';
import { packagePath } from '../../../src/package.ts';
import { assertAtLeast, assertBelow } from '../../helpers/assertions.ts';
import { built, snapshotsIn, sourceOfEvents } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../helpers/native-source.ts';
import { recordingReport } from '../../helpers/report.ts';

const test = suite('brand');

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const HOME = { name: 'Lillevik kommune', url: 'https://lillevik.kommune.example/' };

/** The design of a folder, and the findings about it. */
async function read(files: Files) {
  const { report, findings } = recordingReport();
  const source = await openNativeSource(sourceFolder({ 'events.json': [], ...files }));
  const brand = await readBrand(await source.brand(), report);
  const lines = findings.map(
    ({ action, origin, field, expected, found }) =>
      `${action}: ${origin.file} ${field}: expected ${expected}, found ${found}`,
  );
  return { brand, lines };
}

test('I15: should read home page, accents and logos', async () => {
  const accent = { light: '#8A1538', dark: '#ff9eb5' };
  const brandJson = { $schema: '../docs/brand.schema.json', home: HOME, accent };
  const { brand, lines } = await read({ 'brand.json': brandJson, 'logo.svg': SVG, 'logo-dark.png': PNG });
  assert.equal(lines, []);
  assert.equal(brand, {
    homeName: HOME.name,
    homeUrl: HOME.url,
    accentLight: '#8a1538',
    accentDark: '#ff9eb5',
    logo: { type: 'image/svg+xml', base64: Buffer.from(SVG).toString('base64') },
    logoDark: { type: 'image/png', base64: PNG.toString('base64') },
  });
});

test('I15: should read a logo that begins as drawing programs write it', async () => {
  const documentType =
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [\n<!ENTITY ns "http://ns">\n]>';
  const begun = `\uFEFF<?xml version="1.0"?>\n<!-- <html> -->\n${documentType}\n`;
  for (const text of [`${begun}${SVG}`, '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>', '<svg\n/>'])
    assert.equal((await read({ 'brand.json': { home: HOME }, 'logo.svg': text })).lines, [], text);
});

test('I15: should be null without a file, and without a usable part', async () => {
  assert.is((await read({})).brand, null);
  assert.is((await read({ 'brand.json': { accent: { light: '#ffcc00' } } })).brand, null);
});

interface LeftOut {
  readonly files: Files;
  readonly line: string;
}

const LIGHT = SCHEMES.light.grounds.join(', ');

/** A design with one part that is left out, and the finding. */
const LEFT_OUT: readonly LeftOut[] = [
  {
    files: { 'brand.json': { home: HOME, accent: { light: '#ffcc00' } } },
    line: `accent.light: expected a contrast of at least 4.5 to ${LIGHT}, as #806600 has, found "#ffcc00" with 1.23`,
  },
  {
    files: { 'brand.json': { home: HOME, accent: { light: 'red' } } },
    line: 'accent.light: expected a colour such as "#8a1538", found "red"',
  },
  {
    files: { 'brand.json': { home: HOME, accent: { dark: '#12345' } } },
    line: 'accent.dark: expected a colour such as "#8a1538", found "#12345"',
  },
  {
    files: { 'brand.json': { home: HOME, accent: '#8a1538' } },
    line: 'accent: expected an object with "light" and "dark", found "#8a1538"',
  },
  {
    files: { 'brand.json': { home: { name: 'By', url: 'javascript:alert(1)' } }, 'logo.svg': SVG },
    line: 'home.url: expected an http or https URL, found "javascript:alert(1)"',
  },
  {
    files: { 'brand.json': { home: HOME }, 'logo.png': SVG },
    line: 'logo.png null: expected a picture of the type image/png, found another file',
  },
  ...['<!doctype html><html lang="nb">', '<!-- <svg> --><html>', '<svgx/>'].map((text) => ({
    files: { 'brand.json': { home: HOME }, 'logo.svg': text },
    line: 'logo.svg null: expected a picture of the type image/svg+xml, found another file',
  })),
  {
    files: { 'brand.json': { home: HOME }, 'logo.svg': `<${' '.repeat(64 * 1_024)}` },
    line: 'logo.svg null: expected at most 65536 bytes, found more',
  },
  {
    files: { 'brand.json': { home: HOME }, 'logo.svg': SVG, 'logo.png': PNG },
    line: 'logo.png null: expected one file named logo, found logo.png, logo.svg',
  },
];

for (const { files, line } of LEFT_OUT) {
  test(`I15: should leave out and report one part: ${line}`, async () => {
    const { brand, lines } = await read(files);
    assert.is(lines.length, 1, lines.join('; '));
    assert.is(lines[0]?.endsWith(line), true, lines[0]);
    const { homeName = null, logo = null, accentLight = null, accentDark = null } = brand ?? {};
    const kept = [homeName, logo].filter((part) => part !== null);
    assert.is(kept.length, 1, 'the other part');
    assert.equal([accentLight, accentDark], [null, null]);
  });
}

test('I15: should measure contrast as WCAG does', () => {
  // The two ends of the scale, and a grey whose contrast to white is 4.48.
  assert.is(leastContrast('#fffdf8', 'light').toFixed(2), '1.00');
  assertBelow(leastContrast('#777777', 'light'), 4.48);
  assertAtLeast(leastContrast('#000000', 'light'), 17);
  for (const scheme of ['light', 'dark'] as const) {
    assertAtLeast(leastContrast(SCHEMES[scheme].link, scheme), 4.5, `links, ${scheme}`);
    assertAtLeast(leastContrast(SCHEMES[scheme].bar, scheme), 4.5, `bars, ${scheme}`);
  }
});

test('I15: the colours that are compared should be those of the stylesheet', () => {
  const css = readFileSync(packagePath('src/annexes/page/assets/almanakk.css'), 'utf8');
  const colourOf = (name: string, scheme: Scheme) => {
    const [, light = '', dark = ''] =
      new RegExp(`^ {4}--${name}: light-dark\\((#\\w+), (#\\w+)\\);$`, 'm').exec(css) ?? [];
    return scheme === 'light' ? light : dark;
  };
  for (const scheme of ['light', 'dark'] as const) {
    const grounds = ['paper', 'leaf', 'shade'].map((name) => colourOf(name, scheme));
    assert.equal(grounds, [...SCHEMES[scheme].grounds]);
    assert.is(colourOf('link', scheme), SCHEMES[scheme].link);
    assert.is(colourOf('bar', scheme), SCHEMES[scheme].bar);
  }
});

test('I15: browsers without light-dark() should get the light colours', () => {
  for (const path of ['page/assets/almanakk.css', 'listing/assets/site.css', 'sandbox/assets/sandbox.css']) {
    const css = readFileSync(packagePath(`src/annexes/${path}`), 'utf8');
    const both = [...css.matchAll(/^ {4}(--[\w-]+): light-dark\((#\w+), #\w+\);$/gm)];
    assertAtLeast(both.length, 6, `colours in ${path}`);
    assert.is(
      css.match(/--[\w-]+: light-dark/g)?.length,
      both.length,
      `colours within "@supports" in ${path}`,
    );
    for (const [, name, light] of both) assert.match(css, `\n  ${name}: ${light};\n`);
  }
});

test('I15: a new logo should be published, although no record has changed', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(3, { 'logo.svg': SVG }), target);
  assert.is((await built(sourceOfEvents(3, { 'logo.svg': SVG }), target)).outcome, 'unchanged');
  assert.is((await built(sourceOfEvents(3, { 'logo.svg': `${SVG}\n` }), target)).outcome, 'published');
  assertAtLeast(snapshotsIn(target).length, 2);
});

test.run();
