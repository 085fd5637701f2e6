use super::*;

fn source() -> Source {
    Source { revision: "0123abc".into(), time: "2026-01-02T03:04:05Z".parse().unwrap() }
}

fn layout(program: &str) -> Layout {
    Layout::new(Image {
        architecture: "amd64",
        tag: "1.2.3",
        source: &source(),
        user: "65532:65532",
        entrypoint: "/tool",
        labels: BTreeMap::from([("org.opencontainers.image.title".into(), "tool".into())]),
        layers: vec![
            Layer { comment: "root", entries: vec![Entry::directory("etc"), Entry::file("etc/passwd", "x")] },
            Layer { comment: "program", entries: vec![Entry::program("tool", program)] },
        ],
        sbom: b"{\"bomFormat\":\"CycloneDX\"}".to_vec(),
    })
    .unwrap()
}

fn json(layout: &Layout, path: &str) -> Value {
    serde_json::from_slice(&layout.files[path]).unwrap()
}

fn blob(layout: &Layout, descriptor: &Value) -> Value {
    json(layout, &format!("blobs/{}", descriptor["digest"].as_str().unwrap().replace(':', "/")))
}

#[test]
fn every_descriptor_names_a_blob_of_its_digest_and_size() {
    let layout = layout("a");
    let index = json(&layout, "index.json");
    let mut descriptors = index["manifests"].as_array().unwrap().clone();
    for manifest in descriptors.clone() {
        let manifest = blob(&layout, &manifest);
        descriptors.push(manifest["config"].clone());
        descriptors.extend(manifest["layers"].as_array().unwrap().iter().cloned());
        descriptors.extend(manifest.get("subject").cloned());
    }
    assert_eq!(descriptors.len(), 2 + 3 + 3);
    for descriptor in descriptors {
        let digest = descriptor["digest"].as_str().unwrap();
        let bytes = &layout.files[&format!("blobs/{}", digest.replace(':', "/"))];
        assert_eq!(digest, format!("sha256:{}", sha256(bytes)));
        assert_eq!(descriptor["size"], bytes.len());
    }
}

#[test]
fn the_configuration_has_the_user_the_entrypoint_and_uncompressed_digests() {
    let layout = layout("a");
    let index = json(&layout, "index.json");
    let manifest = blob(&layout, &index["manifests"][0]);
    let config = blob(&layout, &manifest["config"]);
    assert_eq!(config["config"]["User"], "65532:65532");
    assert_eq!(config["config"]["Entrypoint"], json!(["/tool"]));
    assert_eq!(config["created"], "2026-01-02T03:04:05Z");
    let program = tar(&[Entry::program("tool", "a")], source().seconds()).unwrap();
    assert_eq!(config["rootfs"]["diff_ids"][1], format!("sha256:{}", sha256(&program)));
}

#[test]
fn the_list_of_parts_refers_to_the_image() {
    let layout = layout("a");
    let index = json(&layout, "index.json");
    let referrer = blob(&layout, &index["manifests"][1]);
    assert_eq!(referrer["subject"]["digest"], layout.digest());
    assert_eq!(referrer["artifactType"], CYCLONEDX);
    assert_eq!(blob(&layout, &referrer["layers"][0])["bomFormat"], "CycloneDX");
}

#[test]
fn the_digest_changes_with_the_program_and_with_nothing_else() {
    assert!(layout("a") == layout("a"));
    assert_eq!(layout("a").tar(&source()).unwrap(), layout("a").tar(&source()).unwrap());
    assert_ne!(layout("a").digest(), layout("b").digest());
}
