/** A walk through the interface: questions about this calendar with their answers, the first few in view. */
import type { Colour } from '../../page/highlight.ts';
import { type Html, html } from '../../page/html.ts';
import { details, example, type Section } from '../../page/page.ts';
import { inEach } from '../../page/reader.ts';
import type { Context } from './context.ts';
import type { Step, Walked } from './questions.ts';

export function walk({ walked: all, language, colour }: Context): Section {
  const texts = TEXTS[language];
  return {
    id: 'walk',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    isWide: true,
    content: all.map((walked, place) => {
      const [title, text] = texts[walked.step];
      const heading = html`<h3 id="walk-${walked.step}">${title}</h3>`;
      const content = html`<p>${text}</p>
${askedOf(walked, html`${texts.answer}: ${title}`, colour)}`;
      return place < OPEN ? html`${heading}\n${content}` : details(heading, content);
    }),
  };
}

/** Steps that are not folded. */
const OPEN = 3;

function askedOf({ step, query, answer }: Walked, label: Html, colour: Colour): Html {
  return html`<div class="asked">
${example(`walk-${step}`, colour(query, 'graphql'))}<pre class="example answer" role="region" aria-label="${label}" tabindex="0"><code>${colour(answer, 'json')}</code></pre>
</div>
`;
}

type Said = readonly [title: string, text: string];

const TEXTS = inEach<Readonly<Record<Step, Said> & Record<'title' | 'short' | 'intro' | 'answer', string>>>({
  title: ['En rundtur', 'A walk'],
  short: ['Rundtur', 'Walk'],
  intro: [
    'Åtte spørsmål til denne kalenderen, hvert med svaret den gir akkurat nå.',
    'Eight questions to this calendar, each with the answer that it gives right now.',
  ],
  answer: ['Svaret', 'The answer'],
  weekend: [
    ['Hva skjer i helgen?', 'Perioden er norsk tid: fra fredag kl. 16. Det som allerede pågår, er med.'],
    [
      'What is on this weekend?',
      'The period is Norwegian time: from Friday at 16. What is running then belongs to it.',
    ],
  ],
  paging: [
    ['Neste side', 'Sidene telles fra 0. Bla videre så lenge hasMore er sann, og tell med totalCount.'],
    ['The next page', 'Pages count from 0. Go on while hasMore is true, and count by totalCount.'],
  ],
  select: [
    [
      'En nedtrekksliste med tall',
      'Det valgte filteret gir listen. Det samme filteret uten kategorien gir tallene ved alle valgene, i samme svar.',
    ],
    [
      'A select with counts',
      'The chosen filter gives the list. The same filter without its category gives the counts of all choices, in the same answer.',
    ],
  ],
  near: [
    ['I nærheten', 'Innen to kilometer fra et punkt. Rund av posisjonen til folk, og spør med POST.'],
    ['Near a place', 'Within two kilometres of a point. Round positions of people, and ask by POST.'],
  ],
  details: [
    [
      'Bilder, priser, datoer',
      'Det første bildet er forsidebildet. Prisene gjelder når ticketsInformation er ticketsInfo. first gir så mange, ovenfra.',
    ],
    [
      'Pictures, prices, dates',
      'The first image is the cover. Prices count when ticketsInformation is ticketsInfo. first gives so many, from the top.',
    ],
  ],
  typo: [
    [
      'Et søk med skrivefeil',
      'Når ingenting treffer ordrett, søkes det omtrentlig, og approximate sier det.',
    ],
    [
      'A search with a typing error',
      'Where nothing matches literally, the search is approximate, and says so.',
    ],
  ],
  error: [
    ['En feil', 'HTTP 200, og data er null. extensions.reasons sier hva som er galt, med en riktig form.'],
    ['An error', 'HTTP 200, and data is null. extensions.reasons says what is wrong, with a right form.'],
  ],
  hint: [
    [
      'Et filter som ikke kan treffe',
      'Ingen feil, bare et tomt svar; extensions.hints sier hva som nok var ment.',
    ],
    [
      'A filter that can match nothing',
      'No error, an empty answer; extensions.hints says what was probably meant.',
    ],
  ],
});
