"""The part of JSON Schema that an OpenAPI 3.1 document of records needs, and its paths."""

import re

_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_OF_HTTP = {"connection", "content-length", "content-type", "date", "transfer-encoding"}
_ECMA_ONLY = re.compile(r"\\u([0-9a-fA-F]{4})")


class Document:
    """An OpenAPI document that can be asked about requests and answers."""

    def __init__(self, document):
        self.document = document

    def operations(self):
        """(method, path, operation) of all that the document tells of."""
        methods = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
        return [
            (method.upper(), path, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method in methods
        ]

    def find(self, method, path):
        """The operation of a real path, or None."""
        plain = path.split("?")[0]
        for known_method, template, operation in self.operations():
            pattern = re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template))
            if known_method == method and re.fullmatch(pattern, plain):
                return operation
        return None

    def resolve(self, node):
        """The node that a chain of $ref leads to."""
        while isinstance(node, dict) and "$ref" in node:
            target = self.document
            assert node["$ref"].startswith("#/"), f"a reference out of the document: {node}"
            for step in node["$ref"][2:].split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def reply_faults(self, operation, reply, takes_default=False):
        """What of a reply the operation does not tell: status, headers, body; as sentences."""
        responses = operation["responses"]
        told = responses.get(str(reply.status), responses.get("default") if takes_default else None)
        if told is None:
            return [f"undeclared: {reply}"]
        response = self.resolve(told)
        headers = {name.lower() for name in response.get("headers", {})} | _OF_HTTP
        found = [f"undeclared header {name} of {reply}"
                 for name, _ in reply.headers if name.lower() not in headers]
        if reply.body:
            schema = response["content"]["application/json"]["schema"]
            found += [f"{fault} in {reply}" for fault in self.faults(reply.json, schema)]
        return found

    def exchange_faults(self, exchanges):
        """The same of all that went over the wire: (method, path, payload, reply)."""
        faults = []
        for method, path, _, reply in exchanges:
            operation = self.find(method, path)
            if operation is None:
                faults.append(f"undocumented: {reply}")
            else:
                faults += self.reply_faults(operation, reply)
        return faults

    def references(self):
        """Every $ref of the document."""
        pending, found = [self.document], []
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                found += [node] if isinstance(node.get("$ref"), str) else []
                pending += node.values()
            elif isinstance(node, list):
                pending += node
        return found

    def faults(self, value, schema, path="$"):
        """What is wrong with the value, as sentences; none when it fits."""
        schema = self.resolve(schema)
        if schema is True or schema == {}:
            return []
        if schema is False:
            return [f"{path}: nothing may stand here"]
        found = self._plain_faults(value, schema, path)
        if isinstance(value, dict):
            found += self._object_faults(value, schema, path)
        if isinstance(value, list) and "items" in schema:
            for index, row in enumerate(value):
                found += self.faults(row, schema["items"], f"{path}[{index}]")
        return found + self._combined_faults(value, schema, path)

    def _plain_faults(self, value, schema, path):
        types = schema.get("type", list(_TYPES))
        types = [types] if isinstance(types, str) else types
        if not any(_TYPES[name](value) for name in types):
            return [f"{path}: {value!r} is not of {types}"]
        checks = []
        if "enum" in schema:
            checks.append(value in schema["enum"])
        if "const" in schema:
            checks.append(value == schema["const"])
        if isinstance(value, str):
            checks.append(schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 1e9))
            pattern = _ECMA_ONLY.sub(lambda m: chr(int(m[1], 16)), schema.get("pattern", ""))
            checks.append(re.search(pattern, value) is not None)
        if isinstance(value, list):
            checks.append(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1e9))
        if _TYPES["number"](value):
            checks.append(schema.get("minimum", value) <= value <= schema.get("maximum", value))
        return [] if all(checks) else [f"{path}: {value!r} does not fit {schema}"]

    def _object_faults(self, value, schema, path):
        known = schema.get("properties", {})
        found = [f"{path}: {name} is missing"
                 for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            member_schema = known.get(name, schema.get("additionalProperties", True))
            found += self.faults(member, member_schema, f"{path}.{name}")
        return found

    def _combined_faults(self, value, schema, path):
        found = []
        for part in schema.get("allOf", []):
            found += self.faults(value, part, path)
        for word in ("anyOf", "oneOf"):
            branches = [self.faults(value, part, path) for part in schema.get(word, [])]
            if branches and all(branches):
                found += [f"{path}: fits none of {word}: {branches}"]
        return found
