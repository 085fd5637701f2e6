//! What is wrong with YAML, in the words of the real server's reader.

use std::str::Utf8Error;

use granit_parser::{ErrorKind, ScanError};

/// Who notices a mistake. The real reader counts lines from one when words are wrong, and from zero when their order is;
/// the first line it never names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Words,
    Order,
}

fn located(stage: Stage, line: usize, message: &str) -> String {
    let before = line.saturating_sub(1);
    match stage {
        _ if before == 0 => format!("yaml: {message}"),
        Stage::Words => format!("yaml: line {line}: {message}"),
        Stage::Order => format!("yaml: line {before}: {message}"),
    }
}

/// The text of a mistake.
pub(super) fn describe(text: &str, error: &ScanError) -> String {
    use ErrorKind as Kind;
    let line = super::breaks::line(text, error.marker());
    let words = |message: &str| located(Stage::Words, line, message);
    let order = |message: &str| located(Stage::Order, line, message);
    match error.kind() {
        Kind::UnexpectedCharacter { .. }
        | Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabInPlainScalar => words("found character that cannot start any token"),
        Kind::UnclosedQuotedScalar => located(Stage::Words, lines(text), "found unexpected end of stream"),
        Kind::DocumentIndicatorInQuotedScalar => words("found unexpected document indicator"),
        Kind::MappingValueNotAllowed => words("mapping values are not allowed in this context"),
        Kind::MappingKeyNotAllowed => words("mapping keys are not allowed in this context"),
        Kind::BlockSequenceEntryNotAllowed => words("block sequence entries are not allowed in this context"),
        // It is missed only on the next line.
        Kind::SimpleKeyExpected | Kind::InvalidSimpleKey => {
            located(Stage::Words, line + 1, "could not find expected ':'")
        }
        Kind::UnknownQuotedScalarEscape => words("found unknown escape character"),
        Kind::InvalidQuotedScalarHexEscape => words("did not find expected hexdecimal number"),
        Kind::InvalidBlockScalarHeader => words("did not find expected comment or line break"),
        Kind::ZeroBlockScalarIndent => words("found an indentation indicator equal to 0"),
        Kind::MissingAnchorOrAliasName => words("did not find expected alphabetic or numeric character"),
        Kind::ExpectedNodeContent | Kind::MisplacedFlowCollectionEnd => {
            order("did not find expected node content")
        }
        Kind::ExpectedBlockMappingKey => order("did not find expected key"),
        Kind::ExpectedBlockSequenceEntry => order("did not find expected '-' indicator"),
        Kind::ExpectedFlowMappingSeparator => order("did not find expected ',' or '}'"),
        Kind::ExpectedFlowSequenceSeparator | Kind::InvalidColonPlacement => {
            order("did not find expected ',' or ']'")
        }
        Kind::UnclosedFlowCollection { open: '{' }
        | Kind::UnexpectedEofFlowMapping
        | Kind::UnexpectedEofImplicitFlowMapping => unclosed(text, '}'),
        Kind::UnclosedFlowCollection { .. } | Kind::UnexpectedEofFlowSequence => unclosed(text, ']'),
        Kind::UnsupportedYamlMajorVersion => order("found incompatible YAML document"),
        Kind::DuplicateVersionDirective => order("found duplicate %YAML directive"),
        Kind::UndeclaredTagHandle => order("found undefined tag handle"),
        Kind::RecursionLimitExceeded => "yaml: exceeded max depth".into(),
        other => order(&other.to_string()),
    }
}

/// What ends too early: the end counts as a line of its own.
fn unclosed(text: &str, bracket: char) -> String {
    let end = lines(text) + usize::from(!text.ends_with('\n'));
    let message = match text.trim_end().chars().next_back() {
        Some('[' | '{' | ',' | ':') => "did not find expected node content".to_owned(),
        _ => format!("did not find expected ',' or '{bracket}'"),
    };
    located(Stage::Order, end, &message)
}

/// The line that a text ends on.
fn lines(text: &str) -> usize {
    1 + text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The text of a mistake in the bytes themselves.
pub(super) fn not_text(bytes: &[u8], error: &Utf8Error) -> String {
    let found = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
    let leads = matches!(found, 0x00..=0x7f | 0xc0..=0xf7);
    match error.error_len() {
        None => "yaml: incomplete UTF-8 octet sequence".into(),
        Some(_) if leads => "yaml: invalid trailing UTF-8 octet".into(),
        Some(_) => "yaml: invalid leading UTF-8 octet".into(),
    }
}

/// Refuses characters that may not stand in YAML at all.
pub(super) fn check_characters(text: &str) -> Result<(), String> {
    let allowed = |character: char| {
        matches!(character,
            '\t' | '\n' | '\r' | '\u{20}'..='\u{7e}' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
    };
    if !text.chars().all(allowed) {
        return Err("yaml: control characters are not allowed".into());
    }
    // A tab is no indentation, not even that of the first word.
    let blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    match text.lines().enumerate().find(|(_, line)| !blank(line)) {
        Some((index, line)) if line.trim_start_matches(' ').starts_with('\t') => {
            Err(located(Stage::Words, index + 1, "found character that cannot start any token"))
        }
        _ => Ok(()),
    }
}
