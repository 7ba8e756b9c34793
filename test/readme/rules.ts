/** What is done with each block of each page. Pages with blocks are gone through in this order, in one world. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort } from '../helpers/nginx.ts';
import { FEEDS_RULES, OWN_CALENDAR_RULES, SOURCE_FORMAT_RULES, SOURCES_RULES } from './calendar-rules.ts';
import { asks, isAnswer, namesScripts, needs, type Rules, runs, saves } from './checks.ts';
import { CLIENTS_RULES } from './clients-rules.ts';
import type { Block } from './document.ts';
import { DATA_RULES, OPERATING_RULES, SCALING_RULES, WATCHING_RULES } from './operating-rules.ts';
import { ADDRESS, startService } from './shell.ts';

const README_RULES: Rules = {
  'Two commands › sh 1': async ({ text }, { server }) => {
    assert.is(text, 'npm start\n', 'which is what the server is started with');
    await server();
  },
  'Two commands › sh 2': namesScripts,
  'Two commands › text 1': async ({ text }, { server }) => {
    const { said } = await server();
    assert.match(said(), /^[\d-]+ [\d:.]+Z serving http:\/\/[\w.]+:\d+\/graphQL$/m);
    assert.match(text, /^[\d-]+ [\d:.]+Z serving http:\/\/localhost:4000\/graphQL\n$/);
  },

  'A question and its answer › graphql 1': asks(({ sampleAtNoon }) => sampleAtNoon()),
  'A question and its answer › json 1': isAnswer,
  'A question and its answer › sh 1': runs(({ stdout }) => {
    const { data } = JSON.parse(stdout);
    assert.is(data.events.data.length, 3);
    assert.equal(Object.keys(data.events.data[0]), ['title_nb', 'title_en', 'startDate', 'venue']);
  }),

  ...OWN_CALENDAR_RULES,
};

const ARCHITECTURE_RULES: Rules = { text: namesPaths };

const SETTINGS_RULES: Rules = {
  ini: ({ text }) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.env'), text);
    assert.equal(readSettings({}, folder).warnings, []);
  },
};

const API_RULES: Rules = {
  'Asking › sh 1': runs(({ stdout }) => {
    const { data } = JSON.parse(stdout);
    assert.is(data.events.data.length, 2);
    assert.equal(Object.keys(data.events.data[0]), ['startDate', 'title_nb']);
  }),
  "Tonight's concerts on your page › html": saves(({ clone }) => clone()),
  "Tonight's concerts on your page › sh 1": needs('python3', async ({ text }, { clone }) => {
    const port = `${await freePort()}`;
    const service = await startService(text.replace('8000', port), /Serving HTTP on .*/, { folder: clone() });
    const response = await fetch(`http://127.0.0.1:${port}/concerts.html`);
    const page = await response.text();
    await service.stop();
    assert.match(page, /^<!doctype html>/);
  }),
};

const FEEDS_OUT_RULES: Rules = {
  'Addresses › sh 1': runs(({ stdout }) => {
    assert.is(stdout.split('<item>').length - 1, 5);
    assert.match(stdout, '<language>en</language>');
  }),
  'Plain lists › sh 1': runs(({ stdout }) => {
    const { events, pageSize } = JSON.parse(stdout);
    assert.is(pageSize, 2);
    assert.ok(Array.isArray(events));
  }),
  'Plain lists › sh 2': runs(({ stdout }) => {
    assert.match(stdout, /^\ufeffid;occurrenceID;title;startDate;/);
    assert.ok(stdout.split('\r\n').length > 10);
  }),
  'On paper, in a frame › html 1': async ({ text }, { server }) => {
    const { url } = await server();
    const [, address = ''] = /src="([^"]+)"/.exec(text.replace(ADDRESS, url)) ?? [];
    const response = await fetch(address.replaceAll('&amp;', '&'));
    assert.match(await response.text(), '<h1>Konserter</h1>');
  },
  'Embed › html 1': async ({ text }, { server }) => {
    const known = await (await fetch(`${(await server()).url}/embed.js`)).text();
    const [, tag = ''] = /<almanakk-events([^>]*)>/.exec(text) ?? [];
    const names = [...tag.matchAll(/ (\w+)=/g)].map(([, name]) => name);
    assert.equal(names, ['categories', 'limit', 'lang', 'heading']);
    for (const name of names) assert.match(known, new RegExp(`['"]${name}['"]`));
  },
  'Embed › css 1': ({ text }) => {
    const namesIn = (code: string) => [...new Set(code.match(/--almanakk-[a-z-]+/g))].sort();
    assert.equal(
      namesIn(text),
      namesIn(readFileSync(packagePath('src/annexes/embed/assets/embed.js'), 'utf8')),
    );
  },
};

export const PAGES: Readonly<Record<string, Rules>> = {
  'README.md': README_RULES,
  'docs/architecture.md': ARCHITECTURE_RULES,
  'docs/settings.md': SETTINGS_RULES,
  'docs/source-format.md': SOURCE_FORMAT_RULES,
  'docs/sources.md': SOURCES_RULES,
  'docs/feeds.md': FEEDS_RULES,
  'docs/feeds-out.md': FEEDS_OUT_RULES,
  'docs/api.md': API_RULES,
  'docs/clients.md': CLIENTS_RULES,
  'docs/operating.md': OPERATING_RULES,
  'docs/watching.md': WATCHING_RULES,
  'docs/scaling.md': SCALING_RULES,
  'docs/data.md': DATA_RULES,
  'docs/benchmarks.md': { sh: namesScripts },
};

/** What it says lies in the tree is there; a build makes the snapshots. */
function namesPaths({ text }: Block): void {
  for (const [name] of text.matchAll(/\b(?:data|jobs|src|docs|test)\/[\w./-]*/g)) {
    const isThere = ['', '.ts'].some((end) => existsSync(packagePath(`${name}${end}`)));
    assert.ok(isThere || name.startsWith('data/snapshots'), name);
  }
}
