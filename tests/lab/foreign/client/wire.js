// Messages as arrays and back, from schema.json alone: names, order and defaults of the fields.

export class Wire {
  constructor(schema) {
    this.schema = schema;
    this.subprotocol = schema.subprotocols.find((each) => each.endsWith("+json"));
    const list = (frames) =>
      Object.entries(frames).map(([name, { prefixItems: [tag, ...items], minItems }]) => ({
        name,
        tag: tag.const,
        fields: items.map((item) => ({ name: item.title, default: item.default })),
        required: minItems - 1,
      }));
    this.requests = new Map(list(schema.client_to_server).map((frame) => [frame.name, frame]));
    this.answers = new Map(list(schema.server_to_client).map((frame) => [frame.tag, frame]));
  }

  // Return the text of a message: all fields up to the last one that is given.
  encode(name, given) {
    const { tag, fields, required } = this.requests.get(name);
    const names = fields.map((field) => field.name);
    const unknown = Object.keys(given).filter((key) => !names.includes(key));
    if (unknown.length > 0) throw new Error(`${name} has no ${unknown}`);
    const last = Math.max(required, 1 + names.findLastIndex((key) => key in given));
    return JSON.stringify([tag, ...fields.slice(0, last).map((field) => given[field.name] ?? field.default)]);
  }

  // Return a message's name, and its fields by their names; those that were left out have their defaults.
  decode(text) {
    const [tag, ...values] = JSON.parse(text);
    const frame = this.answers.get(tag);
    if (frame === undefined) throw new Error(`there is no message ${tag}`);
    if (values.length < frame.required || values.length > frame.fields.length) throw new Error(text);
    const fields = {};
    frame.fields.forEach((field, at) => {
      fields[field.name] = at < values.length ? values[at] : field.default;
    });
    return { name: frame.name, fields };
  }
}
