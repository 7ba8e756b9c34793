/** What a build has besides its core. Each line is an annex (src/settings/annex.ts); one goes with its line and its folder. */
