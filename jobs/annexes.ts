/** The annexes of a build (jobs/annex.ts), one a line. Deleting a line and its folder removes an annex. */
export { announce } from './annexes/announce/annex.ts';
export { comparing } from './annexes/changes/annex.ts';
export { copies } from './annexes/copies/annex.ts';
export { duplicates } from './annexes/duplicates/annex.ts';
export { feedsIn } from './annexes/feeds/annex.ts';
export { guards } from './annexes/guards/annex.ts';
export { hooks } from './annexes/hooks/annex.ts';
export { keys } from './annexes/keys/annex.ts';
export { notices } from './annexes/notices/annex.ts';
export { postalCodes } from './annexes/postal-codes/annex.ts';
export { pull } from './annexes/pull/annex.ts';
export { reportText } from './annexes/report/annex.ts';
export { schedule } from './annexes/schedule/annex.ts';
export { signing } from './annexes/signing/annex.ts';
export { store } from './annexes/store/annex.ts';
export { watch } from './annexes/watch/annex.ts';
