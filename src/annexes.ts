/** What a server offers besides its core. Each line is an annex (src/serve/annex.ts); one goes with its line and its folder. */
export { quota } from './annexes/quota/annex.ts';
export { sandbox } from './annexes/sandbox/annex.ts';
