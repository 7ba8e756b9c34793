/** I17: the addresses of pictures that visitors load: the originals or, where a picture server resizes them, copies on this site. */
import type { ServePart } from '../../serve/annex.ts';
import type { PictureWidth, ResizedPicture } from '../facts/facts.ts';
import type { EventList } from './event-list.ts';

export function resizedPictureOf(parts: readonly ServePart[]): ResizedPicture | null {
  return parts.find((part) => part.resizedPicture)?.resizedPicture ?? null;
}

type Place = Pick<EventList, 'resizedPicture' | 'server'>;

/** Null for a picture that only its own server has: visitors then see none. */
export function pictureAt(
  original: string,
  width: PictureWidth,
  { resizedPicture, server }: Place,
): string | null {
  return resizedPicture === null ? original : resizedPicture(original, width, server);
}
