/** docs/releases.md: what is stable requests nothing that is experimental. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { assertAbove } from './helpers/assertions.ts';
import { NOW } from './helpers/calendar.ts';
import { BROWSER_ACCEPT } from './helpers/client.ts';
import { startBuilt } from './helpers/running.ts';
import { eventPage, linksIn, READ } from './helpers/server-pages.ts';
import { hasPart } from './helpers/when.ts';
import { filesIn, readPage } from './readme/document.ts';
import { pathsNamed } from './readme/release-classes.ts';

const stable = suite('requests of stable parts');

/** `/embed.json` is stable for the element of the same server, and experimental for other clients. */
const EXPERIMENTAL = pathsNamed('experimental').filter((path) => path !== '/embed.json');
const PLUGIN = 'docs/examples/almanakk-events';
/** Programs that run in browsers, and the WordPress plugin. */
const PROGRAMS = [
  ...filesIn('src').filter((path) => /\/assets\/(?!vendor\/).*\.js$/.test(path)),
  ...(hasPart(PLUGIN) ? filesIn(PLUGIN) : []),
];

stable('should request no experimental path from stable scripts and from the plugin', () => {
  assertAbove(EXPERIMENTAL.length, 3, 'experimental paths');
  for (const path of PROGRAMS) {
    const text = readPage(path);
    const others = path.startsWith('src/annexes/embed/') ? [] : ['embed.json'];
    const found = [...EXPERIMENTAL, 'persistedQuery', ...others].filter((word) => text.includes(word));
    assert.equal(found, [], path);
  }
});

stable('should request no experimental path from stable pages', async () => {
  const server = await startBuilt(packagePath('data/sample'), NOW, {
    context: { settings: { publicFile: false } },
  });
  try {
    let requests = 0;
    for (const page of [...READ, await eventPage(server)]) {
      const { text, headers } = await server.send(page, { headers: { accept: BROWSER_ACCEPT } });
      if (!(headers['content-type'] ?? '').startsWith('text/html')) continue;
      // Browsers follow no alternate: programs find other formats by them. A reader follows other links.
      const loaded = text.replaceAll(/<a [^>]*>|<link [^>]*rel="(?:alternate|canonical)"[^>]*>/g, '');
      const paths = linksIn(loaded, server.url + page);
      requests += paths.length;
      assert.equal(
        paths.filter((path) => [...EXPERIMENTAL, '/embed.json'].includes(path)),
        [],
        page,
      );
    }
    assertAbove(requests, 20, 'requests');
  } finally {
    await server.close();
  }
});

stable.run();
