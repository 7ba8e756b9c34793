/** `/embed.js`: the custom element, as a file that is served as it is. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServePart } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import type { About } from '../facts/facts.ts';

export function create(): ServePart {
  const script = fixedReply({
    body: readFileSync(packagePath('src/annexes/embed/assets/embed.js')),
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=3600',
    // For pages that load only resources with this header.
    headers: ['Cross-Origin-Resource-Policy', 'cross-origin'],
  });
  return { offers: ['embed'], routes: { '/embed.js': { GET: script, about: ABOUT } } };
}

const ABOUT: About = {
  summary: 'A custom element, `<almanakk-events>`, that shows the calendar on any page.',
  answer: { about: 'A script.', type: 'text/javascript' },
};
