/** How much of a value a complaint shows, in UTF-16 units. */
const SHOWN = 80;

/** A value as short JSON for a complaint's `found`; `nothing` when there is none. */
export function excerpt(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) return 'nothing';
  return shorten(json);
}

/** Text as it is when short, else its beginning: what a report keeps is bounded, however long a source's ids and names are. */
export function shorten(text: string): string {
  if (text.length <= SHOWN) return text;
  const beginning = text.slice(0, SHOWN - 1).replace(/[\ud800-\udbff]$/, '');
  // Through bytes, so that the short text does not keep the long one in memory.
  return `${Buffer.from(beginning).toString()}…`;
}
