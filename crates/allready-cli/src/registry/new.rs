//! `allready registry new`: the skeleton of a declaration, from the definition of a kind.

use std::path::PathBuf;

use allready_core::Time;
use allready_inspect::{
    health::Health,
    judge::judge,
    lint::is_definition,
    registry::{ConditionRole, OPEN, Registry},
};
use clap::Args;
use serde_json::{Map, Value, json};

use super::named::is_version;
use crate::{
    failure::Failure,
    input,
    output::{self, Format, document},
    printer::{Printer, tame},
};

/// Which kind, and where its definition is.
#[derive(Debug, Args)]
#[command(after_help = "\
Conditions are proposed from the printer columns and the schema of the CRD, states from the
enums of its status, both with the meaning that their names have. What cannot be known begins with
FILL IN, and a file with such a place is refused until it is filled in.

Exit codes:
  0 the skeleton was written, 65 no such CRD in the file, 66 the file cannot be read, 74 unwritable output

Examples:
  allready registry new Widget --from crd.yaml > example.com.json
  allready registry new Widget --from crd.yaml --tests > example.com.tests.json
  kubectl get crd widgets.example.com -o yaml | allready registry new Widget --from -")]
pub(crate) struct NewArgs {
    /// The kind: KIND, KIND.GROUP or KIND.VERSION.GROUP, or its plural.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,

    /// The file with its CRD; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: PathBuf,

    /// Write examples to judge instead, as they stand beside a file of declarations.
    #[arg(long)]
    pub(crate) tests: bool,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "json", value_parser = output::OBJECTS)]
    pub(crate) output: Format,
}

pub(super) fn run(args: &NewArgs, printer: &mut Printer) -> Result<(), Failure> {
    let name = tame(&args.from.display().to_string());
    let mut documents = Vec::new();
    for document in input::read_all(&args.from)? {
        match document {
            Value::Object(mut list)
                if list.contains_key("items") && list.get("kind").is_some_and(is_list) =>
            {
                if let Some(Value::Array(items)) = list.remove("items") {
                    documents.extend(items);
                }
            }
            other => documents.push(other),
        }
    }
    let wrong = |problem: String| Failure::data(format_args!("{name}: {}", tame(&problem)));
    let (definition, note) = find(&documents, &args.kind).map_err(wrong)?;
    printer.warnings(&note.into_iter().map(|note| tame(&note)).collect::<Vec<_>>());
    let value = if args.tests { definition.tests() } else { definition.declaration() };
    printer.text(&document::value(&value, args.output)?)
}

fn is_list(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.ends_with("List"))
}

/// One version of a kind, as it is defined.
#[derive(Debug)]
struct Definition<'a> {
    whole: &'a Value,
    group: &'a str,
    kind: &'a str,
    version: &'a Value,
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The definition of a kind by one of its names, and a note where a version was chosen.
fn find<'a>(documents: &'a [Value], name: &str) -> Result<(Definition<'a>, Option<String>), String> {
    let definitions: Vec<&Value> = documents.iter().filter(|document| is_definition(document)).collect();
    if definitions.is_empty() {
        let mut kinds: Vec<&str> = documents.iter().map(|document| text(document, "/kind")).collect();
        kinds.retain(|kind| !kind.is_empty());
        kinds.dedup();
        let found = if kinds.is_empty() { "no object".to_owned() } else { kinds.join(", ") };
        return Err(format!("there is no CustomResourceDefinition in it, but {found}"));
    }
    let (kind, rest) = name.split_once('.').unwrap_or((name, ""));
    let (version, group) = match rest.split_once('.') {
        Some((version, group)) if is_version(version) => (version, group),
        None if is_version(rest) => (rest, ""),
        _ => ("", rest),
    };
    let full = |definition: &Value| {
        format!("{}.{}", text(definition, "/spec/names/kind"), text(definition, "/spec/group"))
    };
    let is_meant = |definition: &&&Value| {
        let names = ["kind", "plural", "singular"].map(|key| text(definition, &format!("/spec/names/{key}")));
        names.iter().any(|name| name.eq_ignore_ascii_case(kind))
            && (group.is_empty() || group == text(definition, "/spec/group"))
    };
    let found: Vec<&Value> = definitions.iter().filter(is_meant).copied().collect();
    let all = |list: &[&Value]| list.iter().map(|one| full(one)).collect::<Vec<_>>().join(", ");
    let definition = match found.as_slice() {
        [one] => *one,
        [] => return Err(format!("no kind is called {name} in it; it defines {}", all(&definitions))),
        several => return Err(format!("several kinds are called {name}: {}; name the group", all(several))),
    };
    let versions =
        definition.pointer("/spec/versions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = versions.iter().map(|one| text(one, "/name")).collect();
    let chosen = if version.is_empty() {
        versions.iter().find(|one| one["storage"] == true).or_else(|| versions.first())
    } else {
        versions.iter().find(|one| text(one, "/name") == version)
    };
    let Some(chosen) = chosen else {
        return Err(format!("{} has no version {version}; it has {}", full(definition), names.join(", ")));
    };
    let note = (version.is_empty() && names.len() > 1).then(|| {
        let [kind, group] = ["/spec/names/kind", "/spec/group"].map(|at| text(definition, at));
        let read = text(chosen, "/name");
        format!("{kind} has the versions {}; {read} is read, which is stored. Write {kind}.VERSION.{group} for another", names.join(", "))
    });
    let (group, kind) = (text(definition, "/spec/group"), text(definition, "/spec/names/kind"));
    Ok((Definition { whole: definition, group, kind, version: chosen }, note))
}

impl Definition<'_> {
    fn status(&self) -> Option<&Map<String, Value>> {
        self.version.pointer("/schema/openAPIV3Schema/properties/status/properties")?.as_object()
    }

    /// Condition types that columns, the enum of `type`, or names in quotes in the documentation give away.
    fn types(&self) -> Vec<String> {
        let mut types = Vec::new();
        for column in self.version["additionalPrinterColumns"].as_array().into_iter().flatten() {
            let path = text(column, "/jsonPath");
            if path.contains(".conditions[") {
                types.extend(quoted(path));
            }
        }
        if let Some(conditions) = self.status().and_then(|status| status.get("conditions")) {
            let of_enum = conditions.pointer("/items/properties/type/enum").and_then(Value::as_array);
            types.extend(of_enum.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            for at in ["/description", "/items/description", "/items/properties/type/description"] {
                types.extend(quoted(text(conditions, at)));
            }
        }
        types.retain(|type_| {
            type_.starts_with(|c: char| c.is_ascii_uppercase())
                && !["True", "False", "Unknown"].contains(&type_.as_str())
        });
        types.sort();
        types.dedup();
        types
    }

    /// The fields of the status with an enum of words, and the words.
    fn states(&self) -> Vec<(&str, Vec<&str>)> {
        let fields = self.status().into_iter().flatten();
        let words = |field: &'_ Value| field.get("enum").and_then(Value::as_array).is_some();
        fields
            .filter(|(_, field)| words(field))
            .map(|(name, field)| {
                let words = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
                (name.as_str(), words.filter(|word| !word.is_empty()).collect())
            })
            .collect()
    }

    /// The health that the judge reads off a word, where it knows the word.
    fn guess(&self, field: &str, word: &str) -> Option<Health> {
        let object = json!({ "apiVersion": format!("{}/v1", self.group), "kind": self.kind, "metadata": { "name": "a" },
            "status": { field: word } });
        let health = judge(&object, &Registry::empty(), Time::EPOCH).health;
        (health != Health::Unknown).then_some(health)
    }

    fn declaration(&self) -> Value {
        let mut entry = json!({ "groups": [self.group], "kinds": [self.kind] });
        let types = self.types();
        let states = self.states();
        let mut conditions = Map::new();
        let mut summaries = Vec::new();
        for type_ in &types {
            let meaning = Registry::empty().condition(self.group, self.kind, type_);
            let role = if meaning.role == ConditionRole::Dependent
                && meaning.polarity == allready_core::Polarity::AbnormalTrue
            {
                json!("abnormal")
            } else {
                json!(meaning.role)
            };
            if meaning.role == ConditionRole::Summary {
                summaries.push(type_.as_str());
            }
            conditions.insert(type_.clone(), role);
        }
        if conditions.is_empty() && states.is_empty() {
            let roles =
                format!("{OPEN}: summary, dependent, abnormal, activity, suspension or informational");
            conditions.insert(format!("{OPEN}: a condition type that its controller sets"), roles.into());
        }
        if !conditions.is_empty() {
            entry["conditions"] = conditions.into();
        }
        // Of several that may speak for the whole, the author knows which is always there.
        if let [one] = summaries.as_slice() {
            entry["requires"] = json!([one]);
        }
        if !states.is_empty() {
            let of_field = |(field, words): &(&str, Vec<&str>)| {
                let meanings = words.iter().map(|word| {
                    let open = || {
                        json!(format!(
                            "{OPEN}: Healthy, Progressing, Degraded, Suspended, Missing, Unknown or ignore"
                        ))
                    };
                    ((*word).to_owned(), self.guess(field, word).map_or_else(open, |health| json!(health)))
                });
                (format!("status.{field}"), Value::Object(meanings.collect()))
            };
            entry["states"] = Value::Object(states.iter().map(of_field).collect());
        }
        let name = text(self.whole, "/metadata/name");
        let labels = self.whole.pointer("/metadata/labels");
        let version =
            labels.and_then(|labels| labels.get("app.kubernetes.io/version")).and_then(Value::as_str);
        let open = |what: &str| json!(format!("{OPEN}: {what}"));
        json!({
            "source": {
                "project": open("the name of the project"),
                "read": open(&format!("the file or page that says what its words mean; {name} alone does not")),
                "version": version.map_or_else(|| open("the version, commit or date of it"), |version| json!(version)),
            },
            "entries": [entry],
        })
    }

    /// One example for each condition and state, without what it comes to.
    fn tests(&self) -> Value {
        let version = format!("{}/{}", self.group, text(self.version, "/name"));
        let open = format!("{OPEN}: Healthy, Progressing, Degraded, Suspended, Missing or Unknown");
        let row = |status: Value| json!([open, version, self.kind, { "status": status }]);
        let mut rows: Vec<Value> = Vec::new();
        for type_ in self.types() {
            rows.extend(
                ["True", "False"].map(|status| row(json!({ "conditions": [format!("{type_}={status}")] }))),
            );
        }
        for (field, words) in self.states() {
            rows.extend(words.iter().map(|word| row(json!({ field: word }))));
        }
        if rows.is_empty() {
            rows.push(row(json!({ "conditions": [format!("{OPEN}: Type=Status Reason: message")] })));
        }
        Value::Array(rows)
    }
}

/// What stands in quotes or backquotes.
fn quoted(text: &str) -> Vec<String> {
    let is_type = |word: &&str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || ".-_/".contains(c))
    };
    let of = |quote: char| {
        text.split(quote).skip(1).step_by(2).filter(is_type).map(str::to_owned).collect::<Vec<_>>()
    };
    ['"', '\'', '`'].into_iter().flat_map(of).collect()
}
