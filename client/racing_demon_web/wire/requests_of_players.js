// Generated from the protocol by protocol/generate.py.

import { FROM_CLIENT } from "./protocol.js";

Object.assign(FROM_CLIENT, {
  enroll: {tag: 40, fields: "name secret device", defaults: {device: ""}},
  identify: {tag: 41, fields: "player device proof"},
  link: {tag: 42, fields: "name code secret device", defaults: {device: ""}},
  list_devices: {tag: 43, fields: "with_code held", defaults: {with_code: false, held: false}},
  remove_device: {tag: 44, fields: "device"},
  rename: {tag: 45, fields: "name"},
  trust_device: {tag: 46, fields: "device"},
  forget_me: {tag: 47, fields: ""},
});
