"""Explain an invalid option in a sentence."""

from pydantic import ValidationError

from racing_demon_protocol.wire.options import Options


def explained(error: ValidationError) -> str:
    """Return a validation error's first problem, in words for the user."""
    first = error.errors(include_url=False)[0]
    name, about = ".".join(map(str, first["loc"])), first.get("ctx", {})
    match first["type"]:
        case "extra_forbidden":
            text = f"There is no option {name}. There are: {', '.join(Options.model_fields)}."
        case "greater_than_equal":
            text = f"{name} must be {about['ge']} or more."
        case "less_than_equal":
            text = f"{name} must be {about['le']} or less."
        case "enum":
            text = f"{name} must be one of these: {about['expected']}."
        case "int_type" | "int_parsing" | "int_from_float":
            text = f"{name} must be a whole number."
        case "bool_type" | "bool_parsing":
            text = f"{name} must be true or false."
        case "string_pattern_mismatch" | "string_too_short" | "string_too_long" | "string_type":
            text = f"{name} must be a name in small letters."
        case _:
            text = f"{name}: {first['msg']}"
    return text
