/** The pictures of the site's pages. I17: with resized copies, browsers choose the width that they need. */
import type { EventList } from '../../events/event-list.ts';
import type { ListedImage } from '../../events/listed.ts';
import { pictureAt } from '../../events/pictures.ts';
import type { PictureWidth } from '../../facts/facts.ts';
import { type Html, html } from '../../page/html.ts';

interface Shown {
  /** Its address without copies. */
  readonly original: string;
  /** The narrower and the wider copy. */
  readonly widths: readonly [PictureWidth, PictureWidth];
  /** Its width on the page, as in site.css. */
  readonly sizes: string;
}

/** In a list; null if there is none. */
export function thumbnailOf(image: ListedImage | null, list: EventList): Html | null {
  if (image === null) return null;
  const sizes = '(max-width: 45rem) 6rem, 10rem';
  const sources = sourcesOf(image, { original: image.small, widths: [320, 640], sizes }, list);
  return sources && html`<img ${sources} alt="${image.alt}" loading="lazy">\n`;
}

/** On the page of its event; null if there is none. */
export function coverOf(image: ListedImage | null, list: EventList): Html | null {
  if (image === null) return null;
  const sizes = '(max-width: 45rem) 100vw, 42rem';
  const sources = sourcesOf(image, { original: image.large, widths: [640, 1280], sizes }, list);
  return sources && html`<img ${sources} alt="${image.alt}">`;
}

/** Null for a picture of which there can be no copies. */
function sourcesOf({ large }: ListedImage, { original, widths, sizes }: Shown, list: EventList): Html | null {
  if (list.resizedPicture === null) return html`src="${original}"`;
  const [narrow, wide] = widths;
  const narrowCopy = pictureAt(large, narrow, list);
  const wideCopy = pictureAt(large, wide, list);
  if (narrowCopy === null || wideCopy === null) return null;
  const candidates = `${narrowCopy} ${narrow}w, ${wideCopy} ${wide}w`;
  return html`src="${narrowCopy}" srcset="${candidates}" sizes="${sizes}"`;
}
