// A button that requests the reader's position from the browser, once it is clicked. Pages work without it.

const button = document.querySelector('button.near');
const KM = 10;
/** Degrees to two decimals, at most about 600 m off: the position becomes part of an address, which is no secret. */
const rounded = (degrees) => Math.round(degrees * 100) / 100;

button.hidden = !navigator.geolocation;
button.addEventListener('click', () => {
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude } }) => {
      const value = [rounded(latitude), rounded(longitude), KM].join(',');
      for (const given of button.form.querySelectorAll('input[name="near"]')) given.remove();
      button.form.append(
        Object.assign(document.createElement('input'), { type: 'hidden', name: 'near', value }),
      );
      button.form.requestSubmit();
    },
    () => {
      button.nextElementSibling.textContent = button.dataset.nowhere;
    },
    { maximumAge: 600_000, timeout: 20_000 },
  );
});
