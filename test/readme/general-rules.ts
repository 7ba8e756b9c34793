/** Rules for blocks of several kinds: the first commands, lists and feeds, pages with the embed, queries, and output. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { assertAbove, assertAtMost, assertIncludes } from '../helpers/assertions.ts';
import { freePort } from '../helpers/nginx.ts';
import {
  asks,
  type Check,
  isAnswer,
  isHeldBy,
  isOutput,
  namesPaths,
  namesScripts,
  type Rule,
  runs,
  saves,
} from './checks.ts';
import { readPage, tableIn } from './document.ts';
import { withLinesOfCode } from './readme-figures.ts';
import { ADDRESS, runShell, startService } from './shell.ts';

const starts: Check = async (block, world) => {
  await namesScripts(block, world);
  await world.server();
};

const isLineOfServer: Check = async ({ text }, { server }) => {
  const { output } = await server();
  assert.match(output(), /^[\d-]+ [\d:.]+Z serving http:\/\/[\w.]+:\d+\/graphQL$/m);
  assert.match(text, /^[\d-]+ [\d:.]+Z serving http:\/\/localhost:4000\/graphQL$/m);
};

/** Events, and no errors. */
const isAnswered = runs(({ stdout }) => {
  const { data, errors } = JSON.parse(stdout);
  assert.is(errors, undefined);
  assertAbove(data.events.data.length, 0, `events in ${stdout}`);
});

const servesPage: Check = async ({ text }, { clone }) => {
  const port = `${await freePort()}`;
  const service = await startService(text.replace('8000', port), /Serving HTTP on .*/, { folder: clone() });
  const response = await fetch(`http://127.0.0.1:${port}/concerts.html`);
  const page = await response.text();
  await service.stop();
  assert.match(page, /^<!doctype html>/);
};

const framesPage: Check = async ({ text }, { server }) => {
  const { url } = await server();
  const [, address = ''] = /src="([^"]+)"/.exec(text.replace(ADDRESS, url)) ?? [];
  const response = await fetch(address.replaceAll('&amp;', '&'));
  assert.match(await response.text(), '<h1>Konserter</h1>');
};

const embedsEvents: Check = async ({ text }, { server }) => {
  const known = await (await fetch(`${(await server()).url}/embed.js`)).text();
  const [, tag = ''] = /<almanakk-events([^>]*)>/.exec(text) ?? [];
  const names = [...tag.matchAll(/ (\w+)=/g)].map(([, name]) => name);
  assertAbove(names.length, 0, 'attributes');
  for (const name of names) assert.match(known, new RegExp(`['"]${name}['"]`));
};

const namesProperties: Check = ({ text }) => {
  const namesIn = (code: string) => [...new Set(code.match(/--almanakk-[a-z-]+/g))].sort();
  assert.equal(namesIn(text), namesIn(readFileSync(STYLES_OF_EMBED, 'utf8')));
};

const STYLES_OF_EMBED = packagePath('src/annexes/embed/assets/embed.css');

/** The room for the five events of an embed without a limit, in wide and in narrow lists. */
const reservesRoom: Check = ({ text }) => {
  const styles = readFileSync(STYLES_OF_EMBED, 'utf8');
  const heights = [...styles.matchAll(/calc\(([\d.]+)em \+ ([\d.]+)em \* var\(--events\)\)/g)];
  assert.equal(
    [...text.matchAll(/min-height: ([\d.]+)em/g)].map(([, height]) => Number(height)),
    heights.map(([, more, each]) => Number(more) + 5 * Number(each)),
  );
};

const isNews = runs(({ stdout }) => {
  assertIncludes(stdout, '<item>');
  assert.match(stdout, '<language>en</language>');
});

const isList = runs(({ stdout }) => {
  const { events, pageSize } = JSON.parse(stdout);
  assert.is(pageSize, 2);
  assert.ok(Array.isArray(events), stdout);
});

const isTable = runs(({ stdout }) => {
  assert.match(stdout, /^\ufeffid;occurrenceID;title;startDate;/);
  assertAbove(stdout.split('\r\n').length, 10, `lines in ${stdout}`);
});

/** The page's table has rounded numbers, which `npm run generate` rewrites. Ordinary commits change the numbers by less than this. */
const countsLines: Check = async ({ text }) => {
  const { code, stdout, stderr } = await runShell(text, { folder: packagePath('.') });
  assert.is(code, 0, stderr);
  const counted = stdout.trim().split('\n').map(Number);
  const rows = [...tableIn(readPage('docs/architecture.md'), 'Size').matchAll(/ ([\d,]+) \|$/gm)];
  const written = rows.map(([, digits = '']) => Number(digits.replaceAll(',', '')));
  assert.is(written.length, counted.length);
  for (const [at, count] of counted.entries())
    assertAtMost(
      Math.abs((written[at] ?? 0) / count - 1),
      0.05,
      `of ${written[at]} and ${count} lines: run "npm run generate"`,
    );
  const readme = readPage('README.md');
  assert.is(readme, withLinesOfCode(readme, readPage('docs/architecture.md')));
};

export const GENERAL_RULES: readonly Rule[] = [
  { shape: { language: 'sh', says: /\| wc -l$/m }, check: countsLines },
  { shape: { language: 'sh', says: /^npm start$/m }, check: starts },
  { shape: { language: 'text', says: /Z serving http/ }, check: isLineOfServer },
  {
    shape: { language: 'sh', says: /^npm (?:test|run (?:bench|check|dev|format|generate|release)\b)/ },
    check: namesScripts,
  },
  { shape: { language: 'ts', says: /^export const TICKETS/m }, check: isHeldBy('test/recipe.test.ts') },
  { shape: { language: 'sh', says: /\/events\.rss/ }, check: isNews, needs: 'curl' },
  { shape: { language: 'sh', says: /\/events\.json/ }, check: isList, needs: 'curl' },
  { shape: { language: 'sh', says: /\/events\.csv/ }, check: isTable, needs: 'curl' },
  { shape: { language: 'sh', says: /curl .*\/graphQL/ }, check: isAnswered, needs: 'curl' },
  { shape: { language: 'html', file: /^concerts\.html$/ }, check: saves },
  { shape: { language: 'sh', says: /http\.server/ }, check: servesPage, needs: 'python3' },
  { shape: { language: 'html', says: /<iframe/ }, check: framesPage },
  { shape: { language: 'html', says: /<almanakk-events/ }, check: embedsEvents },
  { shape: { language: 'css', says: /:not\(:defined\)/ }, check: reservesRoom },
  { shape: { language: 'css' }, check: namesProperties },
  { shape: { language: 'graphql' }, check: asks },
  { shape: { language: 'json', says: /^\{\s*"data"/ }, check: isAnswer },
  { shape: { language: 'text', says: /\b(?:src|jobs|data)\// }, check: namesPaths },
  { shape: { language: 'text' }, check: isOutput },
  { shape: { language: 'sh' }, check: runs(), needs: 'curl' },
];
