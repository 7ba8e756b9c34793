/** An element with properties and children; those that are null are left out. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}
