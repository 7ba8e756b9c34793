/** The choices of settings and arguments, as a build has them without any. */
export const BUILD_SETTINGS = { isPublic: false, keepDays: 0 };

export const BUILD_CHOICES = {
  ...BUILD_SETTINGS,
  isLocal: false,
  requirePrevious: false,
  force: false,
  wait: 0,
};
