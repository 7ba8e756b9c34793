/** The opening of a page of docs/: its title, its readers, its reading time and its summary. */

/** A title, the line about the readers, and a paragraph whose first sentence is the summary. */
const OPENING =
  /^# (.+)\n\n(?:Audience|Målgruppe): (.+)\. (?:Reading time|Lesetid): (\d+) (?:minutes?|minutt(?:er)?)\.\n\n((?:.+\n)+)/;

export interface Opening {
  readonly title: string;
  readonly audience: string;
  /** The reading time that the page states. */
  readonly minutes: number;
  readonly summary: string;
}

export function openingOf(markdown: string): Opening {
  const match = OPENING.exec(markdown);
  if (match === null) {
    const found = markdown.slice(0, 120);
    throw new Error(`expected a title and "Audience: …. Reading time: … minutes.", found ${found}`);
  }
  const [, title = '', audience = '', minutes = '', paragraph = ''] = match;
  const flowing = paragraph.replaceAll('\n', ' ').trim();
  const summary = /^.+?\.(?= |$)/.exec(flowing)?.[0] ?? flowing;
  return { title, audience, minutes: Number(minutes), summary };
}

const WORDS_A_MINUTE = 220;

/** The reading time of a page, code and tables included. */
export function minutesOf(markdown: string): number {
  return Math.max(1, Math.round(markdown.split(/\s+/).length / WORDS_A_MINUTE));
}

/** The page with its reading time brought up to date. */
export function withMinutes(markdown: string): string {
  const minutes = minutesOf(markdown);
  const time = `Reading time: ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  const inNorwegian = `Lesetid: ${minutes} ${minutes === 1 ? 'minutt' : 'minutter'}.`;
  return markdown
    .replace(/(?<=^# .+\n\nAudience: .+\. )Reading time: \d+ minutes?\./, time)
    .replace(/(?<=^# .+\n\nMålgruppe: .+\. )Lesetid: \d+ minutt(?:er)?\./, inNorwegian);
}
