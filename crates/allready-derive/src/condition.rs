//! One variant: a condition, its role, how it reads, and how it starts.

use syn::{Attribute, Expr, ExprLit, Fields, Ident, Lit, LitStr, Meta, Variant, ext::IdentExt};

use crate::{
    arguments::Arguments,
    mark::{Mark, Status},
    model::{condition_type, reason},
    names::{Names, snake_case},
    problems::Problems,
    rules,
};

/// A declared condition.
pub(crate) struct Condition {
    pub(crate) ident: Ident,
    /// The variant's name in the names of methods.
    pub(crate) snake: String,
    pub(crate) type_: LitStr,
    pub(crate) informational: bool,
    pub(crate) abnormal_true: bool,
    pub(crate) starts: Option<Starts>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) description: String,
}

/// What a condition says before anybody has marked it.
pub(crate) struct Starts {
    key: Ident,
    pub(crate) status: Status,
    pub(crate) reason: LitStr,
    pub(crate) message: String,
}

impl Condition {
    pub(crate) fn parse(variant: &Variant, problems: &mut Problems) -> Self {
        if !matches!(variant.fields, Fields::Unit) {
            problems.add(
                &variant.fields,
                "a condition has no fields: ConditionSet can only be derived for an enum of unit variants",
            );
        }
        let keys = ["type", "informational", "abnormal_true", "starts"];
        let mut arguments = Arguments::of(&variant.attrs, "condition", &keys, problems);
        let name = variant.ident.unraw().to_string();
        let condition = Self {
            ident: variant.ident.clone(),
            snake: snake_case(&name),
            type_: type_of(&variant.ident, arguments.text("type", problems), problems),
            informational: arguments.flag("informational", problems),
            abnormal_true: arguments.flag("abnormal_true", problems),
            starts: arguments
                .nested("starts", &["status", "reason", "message"], problems)
                .and_then(|(key, arguments)| Starts::parse(key, arguments, problems)),
            marks: Mark::all(&variant.attrs, problems),
            description: first_paragraph(&variant.attrs),
        };
        condition.check_start(problems);
        condition
    }

    /// Whether the top condition is computed from it.
    pub(crate) fn counts(&self) -> bool {
        !self.informational
    }

    /// The status that is good for it.
    pub(crate) fn good(&self) -> Status {
        if self.abnormal_true { Status::False } else { Status::True }
    }

    fn check_start(&self, problems: &mut Problems) {
        if let Some(starts) = &self.starts
            && self.counts()
            && starts.status == self.good()
        {
            problems.add(
                &starts.key,
                format_args!(
                    "dependent {:?} would start {}, which is good for it: a dependent starts Unknown or bad, so that \
                     the top condition is never good without a report",
                    self.type_.value(),
                    starts.status.word()
                ),
            );
        }
    }

    /// Takes the names of the methods that will be generated for it.
    pub(crate) fn claim_names(&self, names: &mut Names, problems: &mut Problems) {
        let (ident, snake) = (&self.ident, &self.snake);
        for (name, purpose) in [
            (format!("mark_{snake}"), format!("`{ident}` being True")),
            (format!("mark_not_{snake}"), format!("`{ident}` being False")),
            (format!("mark_{snake}_unknown"), format!("`{ident}` being Unknown")),
            (format!("propagate_{snake}"), format!("propagating to `{ident}`")),
        ] {
            let remedy = "rename the variant; `#[condition(type = \"…\")]` keeps its type";
            // The other names of a variant whose name is taken are taken too, most likely.
            if !names.claim(name, &purpose, remedy, ident, problems) {
                break;
            }
        }
        for mark in &self.marks {
            let name = format!("mark_{}", mark.name.unraw());
            let purpose = format!("the mark `{}` of `{ident}`", mark.name);
            names.claim(name, &purpose, "rename the mark", &mark.name, problems);
        }
    }
}

fn type_of(ident: &Ident, written: Option<LitStr>, problems: &mut Problems) -> LitStr {
    let named = LitStr::new(&ident.unraw().to_string(), ident.span());
    if let Some(text) = written {
        return condition_type(Some(text), problems).unwrap_or(named);
    }
    if let Some(problem) = rules::condition_type_problem(&named.value()) {
        let remedy = "give the variant a type with `#[condition(type = \"…\")]`";
        problems.add(ident, format_args!("{problem}; {remedy}"));
    }
    named
}

impl Starts {
    fn parse(key: Ident, mut arguments: Arguments, problems: &mut Problems) -> Option<Self> {
        let status = match arguments.path("status", "Unknown", problems) {
            Some(path) => Status::parse(path.get_ident(), &path, problems),
            None => Some(Status::Unknown),
        };
        let reason = reason(arguments.needed_text("reason", &key, problems), problems);
        let message = arguments.text("message", problems).map(|text| text.value()).unwrap_or_default();
        Some(Self { key, status: status?, reason: reason?, message })
    }
}

/// The first paragraph of a doc comment, on one line.
fn first_paragraph(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        if let Meta::NameValue(doc) = &attribute.meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &doc.value
        {
            // An empty `///` ends the paragraph, and `lines` would not see it.
            let text = text.value();
            lines.extend(text.split('\n').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    let paragraph = lines.into_iter().skip_while(String::is_empty).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(" ")
}
