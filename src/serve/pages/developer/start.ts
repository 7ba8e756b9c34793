/** Examples to copy and run. */
import { examplesFor } from '../examples.ts';
import { html } from '../html.ts';
import type { InEach } from '../language.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function start({ figures, snapshot, address, language }: Context): Section {
  const texts = TEXTS[language];
  const examples = examplesFor({
    address,
    category: busiestCategory(figures.hitsByCategory, snapshot.lists),
  });
  return {
    id: 'start',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: examples.map(
      ({
        id,
        name,
        command,
        code,
      }) => html`<h3 id="example-${id}">${name} <span class="aside">${texts.run} <code>${command}</code></span></h3>
<pre class="example" role="region" aria-labelledby="example-${id}" tabindex="0"><code>${code}</code></pre>
`,
    ),
  };
}

/** So that an example has something to show. */
function busiestCategory(
  hits: ReadonlyMap<string, number>,
  { categories }: Context['snapshot']['lists'],
): string | null {
  const [first] = categories
    .filter(({ parent, visible }) => parent === -1 && visible)
    .sort((left, right) => (hits.get(right.id) ?? 0) - (hits.get(left.id) ?? 0));
  return first?.id ?? null;
}

const TEXTS: InEach<Readonly<Record<'title' | 'intro' | 'run', string>>> = {
  nb: {
    title: 'Kom i gang',
    intro: 'Kopier og kjør. Hvert eksempel er et helt program og trenger ingenting å installere.',
    run: 'kjøres med',
  },
  en: {
    title: 'Get started',
    intro: 'Copy and run. Each example is a whole program, with nothing to install.',
    run: 'run with',
  },
};
