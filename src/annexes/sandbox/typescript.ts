/** D3: the button that copies the chosen operation as TypeScript. */
import { assetOf } from '../page/assets.ts';
import { html } from '../page/html.ts';
import { inBoth, type TechnicalLanguage } from '../page/reader.ts';

export const TYPESCRIPT = {
  script: assetOf('src/annexes/sandbox/assets/typescript.js'),
  content: (language: TechnicalLanguage) => {
    const { copy, copied, failed } = TEXTS[language];
    const button = html`<button type="button" id="typescript" data-copied="${copied}" data-failed="${failed}" hidden>${copy}</button>`;
    return html`<p id="copying">${button} <span role="status" id="typescript-status"></span></p>\n`;
  },
};

const TEXTS = inBoth({
  copy: ['Kopier som TypeScript', 'Copy as TypeScript'],
  copied: ['Kopiert.', 'Copied.'],
  failed: ['Kunne ikke kopiere:', 'Could not copy:'],
});
