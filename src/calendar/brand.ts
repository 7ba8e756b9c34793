/** I15: a calendar's own design of its pages, and the contrast that its colours need. */
import type { Shaped } from './shape.ts';

const PICTURE = { type: 'text', base64: 'text' } as const;

/** As a snapshot stores it. `logoDark`: for readers whose system is dark. */
export const BRAND_FIELDS = {
  homeName: 'text?',
  homeUrl: 'text?',
  accentLight: 'text?',
  accentDark: 'text?',
  logo: PICTURE,
  logoDark: PICTURE,
} as const;

export type Brand = Shaped<typeof BRAND_FIELDS>;

/** A picture's media type and bytes. */
export type BrandPicture = NonNullable<Brand['logo']>;

export type Scheme = keyof typeof SCHEMES;

/** The backgrounds of links in `almanakk.css`, and its own colours of links and bars. Buttons have the first background as their text. */
export const SCHEMES = {
  light: { grounds: ['#f7f3ea', '#fffdf8', '#efe8d9'], link: '#1b4d68', bar: '#34627a' },
  dark: { grounds: ['#13181b', '#1b2226', '#1f272c'], link: '#93cbe6', bar: '#7fb2cb' },
} as const;

/** WCAG 2.2, 1.4.3: of text and its background. */
export const LEAST_CONTRAST = 4.5;

/** Six digits: no name, no transparency. */
export const COLOUR_FORM = /^#[0-9a-fA-F]{6}$/;

/** The lowest contrast between a colour and the backgrounds of a scheme, from 1 to 21. */
export function leastContrast(colour: string, scheme: Scheme): number {
  return Math.min(...SCHEMES[scheme].grounds.map((ground) => contrastOf(colour, ground)));
}

/** The colour nearest to this one, on its way to black or white, that has enough contrast in the scheme. */
export function readableColour(colour: string, scheme: Scheme): string {
  const end = scheme === 'light' ? 0 : 255;
  const channels = channelsOf(colour);
  for (let step = 0; step < STEPS; step++) {
    const mixed = channels.map((channel) => Math.round(channel + ((end - channel) * step) / STEPS));
    const found = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    if (leastContrast(found, scheme) >= LEAST_CONTRAST) return found;
  }
  return SCHEMES[scheme].link;
}

const STEPS = 100;

function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2: the relative luminance of an sRGB colour, from 0 to 1. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue, each from 0 to 255. */
function channelsOf(colour: string): readonly number[] {
  return [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16));
}
