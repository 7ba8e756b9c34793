/** The pages' stylesheet, under an address of its own for each state of it, so that browsers may keep it for good. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import { fixedReply } from '../http/fixed.ts';
import type { Routes } from '../http/koa.ts';

export interface Stylesheet {
  /** Relative to the pages. */
  readonly address: string;
  readonly routes: Routes;
}

export function readStylesheet(): Stylesheet {
  const body = readFileSync(packagePath('src/assets/pages/almanakk.css'));
  const address = `almanakk-${createHash('sha256').update(body).digest('hex').slice(0, 12)}.css`;
  const reply = fixedReply({
    body,
    type: 'text/css; charset=utf-8',
    cacheControl: 'public, max-age=31536000, immutable',
  });
  return { address, routes: { [`/${address}`]: { GET: reply } } };
}
