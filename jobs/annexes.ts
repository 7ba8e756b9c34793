/** The annexes of a build (jobs/annex.ts), one a line. Deleting a line and its folder removes an annex. */
export { announce } from './annexes/announce/annex.ts';
export { feeds } from './annexes/feeds/annex.ts';
export { hooks } from './annexes/hooks/annex.ts';
export { keys } from './annexes/keys/annex.ts';
export { pull } from './annexes/pull/annex.ts';
export { schedule } from './annexes/schedule/annex.ts';
export { signing } from './annexes/signing/annex.ts';
export { store } from './annexes/store/annex.ts';
export { watch } from './annexes/watch/annex.ts';
