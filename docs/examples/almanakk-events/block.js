// The block in the editor: its settings beside the page, and the list as readers see it. `almanakkBlock` has the texts in the editor's language,
// and the choices of each menu.
(({ blocks, blockEditor, components, element, serverSideRender }, { texts, menus }) => {
  const { createElement } = element;
  // The word in the shortcode for the whole calendar, on a site with municipalities of its own.
  const EVERYWHERE = 'alle';
  // The sizes that newer versions of WordPress ask for; older ones ignore them.
  const SIZES = { __nextHasNoMarginBottom: true, __next40pxDefaultSize: true };
  // The browser knows the order of Norwegian letters.
  const TOWNS = menus.kommune.map(({ value }) => value).sort((one, other) => one.localeCompare(other, 'nb'));

  // `block` has the `attributes`, and `setAttributes` to change them.
  const edit = (block) => {
    const fields = [
      boxes('kommune', [EVERYWHERE, ...TOWNS], block),
      menu('kategori', block),
      menu('periode', block),
      slider('antall', { min: 1, max: 50 }, block),
      text('overskrift', block),
      toggle('bilder', block),
      toggle('sider', block),
      text('lenke', block),
      text('hjem', block),
    ];
    const panel = createElement(components.PanelBody, { title: texts.block }, fields);
    const list = createElement(serverSideRender, { block: 'almanakk/liste', attributes: block.attributes });
    return createElement(
      'div',
      blockEditor.useBlockProps(),
      createElement(blockEditor.InspectorControls, null, panel),
      // Disabled, so that a click selects the block instead of following a link.
      createElement(components.Disabled, null, list),
    );
  };

  // What the controls of one value have in common.
  const control = (name, { setAttributes }) => ({
    key: name,
    label: texts[name],
    help: texts[`${name}Help`],
    ...SIZES,
    onChange: (value) => setAttributes({ [name]: value }),
  });

  const text = (name, block) =>
    createElement(components.TextControl, { ...control(name, block), value: block.attributes[name] });

  const toggle = (name, block) =>
    createElement(components.ToggleControl, { ...control(name, block), checked: block.attributes[name] });

  const slider = (name, limits, block) =>
    createElement(components.RangeControl, {
      ...control(name, block),
      value: block.attributes[name],
      ...limits,
    });

  const menu = (name, block) => {
    const value = block.attributes[name];
    // The calendar may no longer have the value, or it may not respond.
    const isListed = value === '' || menus[name].some((option) => option.value === value);
    const own = isListed ? [] : [{ value, label: value }];
    const options = [{ value: '', label: texts.any }, ...menus[name], ...own];
    return createElement(components.SelectControl, { ...control(name, block), value, options });
  };

  // A box for each choice, and for values that the calendar no longer has. Several values are separated by commas, as in the shortcode.
  const boxes = (name, choices, block) => {
    const chosen = block.attributes[name].split(',').flatMap((part) => part.trim() || []);
    const own = chosen.filter((value) => !choices.includes(value));
    const choose = (value, isChosen) => {
      const values = withChoice(chosen, value, isChosen);
      block.setAttributes({ [name]: values.join(', ') });
    };
    return createElement(
      'fieldset',
      { key: name, className: 'components-base-control' },
      createElement('legend', { className: 'components-base-control__label' }, texts[name]),
      createElement(
        'div',
        { style: { maxHeight: '14em', overflowY: 'auto' } },
        [...choices, ...own].map((value) => box(value, chosen, choose)),
      ),
      createElement('p', { className: 'components-base-control__help' }, texts.inherited),
    );
  };

  const box = (value, chosen, choose) =>
    createElement(components.CheckboxControl, {
      key: value,
      label: value === EVERYWHERE ? texts.any : value,
      checked: chosen.includes(value),
      onChange: (isChosen) => choose(value, isChosen),
      ...SIZES,
    });

  // The whole calendar and single municipalities replace each other.
  const withChoice = (chosen, value, isChosen) => {
    const others = value === EVERYWHERE ? [] : chosen.filter((one) => one !== value && one !== EVERYWHERE);
    return isChosen ? [...others, value] : others;
  };

  blocks.registerBlockType('almanakk/liste', { title: texts.block, edit, save: () => null });
})(wp, almanakkBlock);
