// The line of days is one stop of the Tab key: arrow keys go from day to day. Without a script each day is a stop of its own.

const line = document.querySelector('.strip');
const days = [...(line?.querySelectorAll('a') ?? [])];
let current = Math.max(
  0,
  days.findIndex((day) => day.hasAttribute('aria-current')),
);

/** The place that a key leads to. */
const KEYS = {
  ArrowRight: () => current + 1,
  ArrowLeft: () => current - 1,
  Home: () => 0,
  End: () => days.length - 1,
};

function settle() {
  for (const [at, day] of days.entries()) day.tabIndex = at === current ? 0 : -1;
}

if (days.length > 0) {
  settle();
  const { left, width } = days[current].getBoundingClientRect();
  line.scrollLeft += left - line.getBoundingClientRect().left - (line.clientWidth - width) / 2;
  line.addEventListener('keydown', (event) => {
    const to = KEYS[event.key]?.();
    if (to === undefined || days[to] === undefined) return;
    event.preventDefault();
    current = to;
    settle();
    days[to].focus();
  });
}
