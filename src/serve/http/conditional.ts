/** Entity tags and conditional requests (D6). */
import { createHash } from 'node:crypto';
import type { Coding } from './coding.ts';
import { JSON_MEDIA, type Media } from './media.ts';

/** Strong: from the bytes before they are coded, and distinct for each form that the same bytes can take. */
export function entityTag(plain: Buffer, coding: Coding, media: Media): string {
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, HASH_LENGTH);
  const form = coding === 'identity' ? '' : `-${coding}`;
  return `"${hash}${form}${media === JSON_MEDIA ? '' : '-r'}"`;
}

/** 132 bits. */
const HASH_LENGTH = 22;

/** Whether `If-None-Match` names the tag: a list, compared weakly, or `*` for anything. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  return ifNoneMatch.split(',').some((item) => {
    const one = item.trim();
    return one === '*' || (one.startsWith('W/') ? one.slice(2) : one) === tag;
  });
}
