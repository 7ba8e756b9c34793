// The block in the editor: its settings beside the page, and the list as readers see it.
(({ blocks, blockEditor, components, element, serverSideRender }, { texts, menus }) => {
  // The browser knows the order of Norwegian letters.
  const towns = menus.kommune.map(({ value }) => value).sort((one, other) => one.localeCompare(other, 'nb'));
  // The word in the shortcode for the whole calendar, on a site with municipalities of its own.
  const EVERYWHERE = 'alle';
  const { createElement } = element;
  // The sizes that newer versions of WordPress ask for; older ones ignore them.
  const sizes = { __nextHasNoMarginBottom: true, __next40pxDefaultSize: true };
  const edit = ({ attributes, setAttributes }) => {
    const common = (name) => ({
      key: name,
      label: texts[name],
      help: texts[`${name}Help`],
      ...sizes,
      onChange: (value) => setAttributes({ [name]: value }),
    });
    const menu = (name) => {
      const value = attributes[name];
      // The calendar may no longer have the value, or it may not respond.
      const isListed = value === '' || menus[name].some((option) => option.value === value);
      const own = isListed ? [] : [{ value, label: value }];
      const options = [{ value: '', label: texts.any }, ...menus[name], ...own];
      return createElement(components.SelectControl, { ...common(name), value, options });
    };
    // Several values, separated by commas as in the shortcode.
    const boxes = (name, choices) => {
      const chosen = attributes[name].split(',').flatMap((part) => part.trim() || []);
      const own = chosen.filter((value) => !choices.includes(value));
      const choose = (value, isChosen) => {
        const others = chosen.filter((one) => one !== value && one !== EVERYWHERE);
        const kept = value === EVERYWHERE ? [] : others;
        setAttributes({ [name]: [...kept, ...(isChosen ? [value] : [])].join(', ') });
      };
      const box = (value) =>
        createElement(components.CheckboxControl, {
          key: value,
          label: value === EVERYWHERE ? texts.any : value,
          checked: chosen.includes(value),
          onChange: (isChosen) => choose(value, isChosen),
          ...sizes,
        });
      return createElement(
        'fieldset',
        { key: name, className: 'components-base-control' },
        createElement('legend', { className: 'components-base-control__label' }, texts[name]),
        createElement(
          'div',
          { style: { maxHeight: '14em', overflowY: 'auto' } },
          [...choices, ...own].map(box),
        ),
        createElement('p', { className: 'components-base-control__help' }, texts.inherited),
      );
    };
    const text = (name) =>
      createElement(components.TextControl, { ...common(name), value: attributes[name] });
    const toggle = (name) =>
      createElement(components.ToggleControl, { ...common(name), checked: attributes[name] });
    const fields = [
      boxes('kommune', [EVERYWHERE, ...towns]),
      menu('kategori'),
      menu('periode'),
      createElement(components.RangeControl, {
        ...common('antall'),
        value: attributes.antall,
        min: 1,
        max: 50,
      }),
      text('overskrift'),
      toggle('bilder'),
      toggle('sider'),
      text('lenke'),
      text('hjem'),
    ];
    const panel = createElement(components.PanelBody, { title: texts.block }, fields);
    // Disabled, so that a click selects the block instead of following a link.
    const list = createElement(serverSideRender, { block: 'almanakk/liste', attributes });
    return createElement(
      'div',
      blockEditor.useBlockProps(),
      createElement(blockEditor.InspectorControls, null, panel),
      createElement(components.Disabled, null, list),
    );
  };
  blocks.registerBlockType('almanakk/liste', { title: texts.block, edit, save: () => null });
})(wp, almanakkBlock);
