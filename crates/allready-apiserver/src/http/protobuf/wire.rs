//! The wire format: numbered fields, each a number or a piece of bytes.

use super::Unreadable;

/// One field.
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) held: Held<'a>,
}

/// What a field holds.
pub(super) enum Held<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

impl Held<'_> {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Number(_) => String::new(),
        }
    }

    pub(super) fn number(&self) -> i64 {
        if let Self::Number(number) = self { *number } else { 0 }
    }
}

/// The fields of a message, in order.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    fn field(&mut self) -> Option<Field<'a>> {
        let key = self.number()?;
        let held = match key & 7 {
            0 => Held::Number(self.number()?.cast_signed()),
            1 => Held::Number(i64::from_le_bytes(self.bytes(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Held::Bytes(self.bytes(length)?)
            }
            5 => Held::Number(i32::from_le_bytes(self.bytes(4)?.try_into().ok()?).into()),
            _ => return None,
        };
        Some(Field { number: u32::try_from(key >> 3).ok()?, held })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or(Unreadable::Broken))
    }
}
